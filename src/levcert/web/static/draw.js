// Turn answers into elements.  Texts reach the page only through textContent, so they are never parsed as HTML.

const SHOWN = {" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥"};
const SHAPELESS = /[\p{C}\p{Z}\p{M}]/u;

export const element = (name, className = "", text = "") => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
};

/** Make each character of an edit visible: signs for spaces, code points for characters without a shape. */
export const visible = (text) =>
  Array.from(text, (c) => SHOWN[c] ?? (SHAPELESS.test(c) ? `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}` : c)).join("");

/** A power of ten with its exponent raised: 10⁷, 10⁻³. */
export const powerOfTen = (exponent) =>
  `10${Array.from(String(exponent), (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(sign)]).join("")}`;

/** How to write the scores of one text: with as many decimals as show the lead of the best, and no more. */
export function scoreFormat(values) {
  const [best, second = 0] = [...values].sort((a, b) => b - a);
  const lead = best - second || 1;
  const decimals = Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(lead))));
  const most = Math.max(...values.map(Math.abs));
  if (most >= 1e9 || (most > 0 && most < 1e-3)) { // of models with extreme weights
    return (score) => {
      const [digits, exponent] = score.toExponential(2).split("e");
      return score === 0 ? "0" : `${digits.replace("-", "−")} × ${powerOfTen(Number(exponent))}`;
    };
  }
  return (score) => score.toLocaleString("en", {minimumFractionDigits: decimals, maximumFractionDigits: decimals}).replace("-", "−");
}

export function drawScores(body, scores, label) {
  const values = Object.values(scores);
  const written = scoreFormat(values);
  const low = Math.min(0, ...values);
  const range = Math.max(...values) - low || 1;
  body.replaceChildren(...Object.entries(scores).map(([name, score]) => {
    const row = element("tr", name === label ? "best" : "");
    const head = element("th", "", name);
    head.scope = "row";
    const bar = element("td", "bar");
    bar.append(barOf((score - low) / range));
    row.append(head, bar, element("td", "value", written(score)));
    return row;
  }));
}

function barOf(share) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 100 10");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(space, "rect");
  rect.setAttribute("width", String(Math.max(100 * share, 0.8)));
  rect.setAttribute("height", "10");
  svg.append(rect);
  return svg;
}

/** Six shades up to the largest loss in this text, and a mark where one edit changes the label. */
const shade = (loss, top, margin) => `l${Math.min(5, Math.floor((6 * loss) / top))}${loss >= margin ? " breaks" : ""}`;

/** The text in runs of equal shade; positions count code points, as the server's do. */
export function drawShades(paragraph, text, losses, margin) {
  const top = Math.max(...losses) || 1;
  const runs = [];
  Array.from(text).forEach((character, place) => {
    const className = shade(losses[place], top, margin);
    if (runs.at(-1)?.className === className) runs.at(-1).textContent += character;
    else runs.push(element("span", className, character));
  });
  paragraph.replaceChildren(...runs);
}

export const percent = (share) => `${Math.round(100 * share)} %`;

/** The same in words: the five most fragile positions with their surroundings. */
export function drawPlaces(list, text, losses, margin) {
  const characters = Array.from(text);
  const order = losses.map((_, place) => place).sort((a, b) => losses[b] - losses[a]);
  const chosen = [];
  for (const place of order) {
    if (chosen.length === 5 || losses[place] <= 0) break;
    if (chosen.every((other) => Math.abs(other - place) > 3)) chosen.push(place);
  }
  list.replaceChildren(...chosen.map((place) => {
    const item = element("li");
    const share = losses[place] / margin;
    const effect = share >= 1 ? "an edit here changes the label" : `the worst edit takes ${percent(share)} of the lead`;
    item.append(
      place > 12 ? "…" : "", characters.slice(Math.max(0, place - 12), place).join(""),
      element("mark", "", visible(characters[place])),
      characters.slice(place + 1, place + 13).join(""), place + 13 < characters.length ? "…" : "",
      `  (character ${place + 1}): ${effect}.`,
    );
    return item;
  }));
}

export function drawDifference(target, parts) {
  const tags = {removed: "del", added: "ins"};
  target.replaceChildren(...parts.map(({kind, text}) =>
    kind === "same" ? document.createTextNode(text) : element(tags[kind], "", visible(text))));
}

/** Random texts with their edits marked, each with the label that the model gives it. */
export function drawCovered(list, rows, isLost) {
  list.replaceChildren(...rows.map(({parts, label: found}) => {
    const item = element("li");
    const edited = element("span", "edited");
    drawDifference(edited, parts);
    item.append(edited, element("strong", isLost(found) ? "lost" : "kept", found));
    return item;
  }));
}

/** The edits one by one, for readers who do not see colours or use a screen reader. */
export function editsInWords(parts) {
  const found = [];
  let place = 1;
  parts.forEach(({kind, text}, number) => {
    const next = parts[number + 1];
    if (kind === "removed" && next?.kind === "added") found.push(`“${visible(text)}” becomes “${visible(next.text)}” at ${place}`);
    else if (kind === "removed") found.push(`“${visible(text)}” is removed at ${place}`);
    else if (kind === "added" && parts[number - 1]?.kind !== "removed") found.push(`“${visible(text)}” is inserted before ${place}`);
    if (kind !== "added") place += Array.from(text).length;
  });
  return found.join("; ");
}
