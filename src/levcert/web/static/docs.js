// The description of the API, from openapi.json: no external scripts, no build step.

import {element} from "./draw.js";

const schema = await (await fetch("/openapi.json")).json();
const resolve = (part) => (part.$ref ? part.$ref.split("/").slice(1).reduce((at, key) => at[key], schema) : part);
const bodyOf = (part) => part?.content?.["application/json"]?.schema;

const named = new Map(); // objects inside responses, described once, at the end

/** A type in few words: "list of text", "one of auto, exact", "number or null". */
function kind(given) {
  const part = resolve(given);
  if (part.properties) named.set(part.title, part);
  if (part.anyOf) return part.anyOf.map(kind).join(" or ");
  if (part.enum) return `one of ${part.enum.join(", ")}`;
  if (part.type === "array") return `list of ${kind(part.items)}`;
  if (part.additionalProperties) return `${kind(part.additionalProperties)} for each label`;
  return {string: "text", integer: "whole number", boolean: "true or false", object: part.title}[part.type] ?? part.type;
}

function fields(title, part) {
  const list = element("dl");
  for (const [name, given] of Object.entries(part.properties ?? {})) {
    const term = element("dt");
    term.append(element("code", "", name));
    const value = given.default === undefined ? "" : ` Default: ${JSON.stringify(given.default)}.`;
    list.append(term, element("dd", "", `${kind(given)}. ${given.description ?? ""}${value}`));
  }
  return [element("p", "small", title), list];
}

function described(path, method, operation) {
  const section = element("section");
  const head = element("h2");
  head.append(element("code", "", `${method.toUpperCase()} ${path}`));
  section.append(head, element("p", "", `${operation.summary}.`));
  const asked = bodyOf(operation.requestBody);
  if (asked) {
    section.append(...fields("Request", resolve(asked)));
    const call = `curl ${location.origin}${path} -H 'Content-Type: application/json' -d '{"texts": ["A text."]}'`;
    section.append(element("pre", "", call));
  }
  const answer = resolve(bodyOf(operation.responses["200"]) ?? {});
  const row = answer.properties?.results?.items;
  section.append(...(row ? fields("Response: results, a list with one object per text", resolve(row)) : fields("Response", answer)));
  const errors = Object.entries(operation.responses).filter(([code]) => code !== "200");
  if (errors.length) {
    section.append(element("p", "small", errors.map(([code, {description}]) => `${code}: ${description}`).join(" ")));
  }
  return section;
}

const sections = Object.entries(schema.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => described(path, method, operation)));
for (const [title, part] of named) { // describing one may add others
  const section = element("section");
  section.append(element("h2", "", title), ...fields(part.description ?? "", part));
  sections.push(section);
}
document.getElementById("interface").replaceChildren(...sections);
