// The page: ask the server as the user types, and show only the latest answer.

import {drawCovered, drawDifference, drawPlaces, drawScores, drawShades, editsInWords, element, percent} from "./draw.js";
import {meaningOf} from "./meaning.js";
import {countInWords, randomEdits} from "./random_edits.js";

const PAUSE = 180; // milliseconds after the last key before we ask the server
const NOTES = {
  auto: "the best proof, as fast as possible",
  exact: "searches for the exact radius",
  chains: "any number of edits, for models with bounded windows",
  lipschitz: "one pass, holds for every edit",
  interval: "interval bounds, radius 0 or 1",
  lipslev: "the published bound: proved only for substitutions among known characters",
  smoothing: "about a randomised classifier: holds with high probability",
};
const of = (id) => document.getElementById(id);
const box = of("text");
let latest = 0;
let timer = 0;
let running = new AbortController();
let shown = null; // the counterexample on the page
let certified = null; // the certificate on the page, and its text
const DRAWN = 6; // random texts
let limits = {longest_text: Infinity, farthest_edit: 1}; // of this server, see /model

async function ask(path, body, signal) {
  const answer = await fetch(path, {
    method: "POST", headers: {"Content-Type": "application/json", ...token()}, body: JSON.stringify(body), signal,
  });
  return (await contentOf(answer)).results[0];
}

async function contentOf(answer) {
  const content = await answer.json();
  of("token-form").hidden = answer.status !== 401;
  if (!answer.ok) throw new Error(content.error);
  return content;
}

/** The token of this tab, if the server asked for one; it is forgotten when the tab is closed. */
const token = () => {
  const given = sessionStorage.getItem("token");
  return given ? {Authorization: `Bearer ${given}`} : {};
};

/** The label that the attacker wants; null: any other than the text's own. */
const target = () => of("target").value || null;

const operations = () => Array.from(document.querySelectorAll("[name=operation]:checked"), (mark) => mark.value);

function schedule(pause = PAUSE) {
  clearTimeout(timer);
  latest += 1; // answers still on their way are stale now
  running.abort();
  of("answer").classList.add("stale");
  showLength();
  timer = setTimeout(answer, pause);
}

/** The server counts code points; a text that is too long stays as it is, and is not sent. */
const isTooLong = () => Array.from(box.value).length > limits.longest_text;

function showLength() {
  const length = Array.from(box.value).length.toLocaleString("en");
  const most = limits.longest_text.toLocaleString("en");
  of("length").textContent = isTooLong() ? `${length} characters, at most ${most}` : `${length} characters`;
  of("length").classList.toggle("too-long", isTooLong());
  box.setAttribute("aria-invalid", String(isTooLong()));
}

async function answer() {
  const turn = latest;
  const text = box.value;
  running = new AbortController();
  const {signal} = running;
  if (!text) return showNothing();
  if (isTooLong()) {
    const most = limits.longest_text.toLocaleString("en");
    return showError(`This text is too long: this server accepts at most ${most} characters for this model. Shorten it.`);
  }
  const request = {texts: [text], operations: operations(), target: target(), method: of("method").value, losses: true};
  const show = (draw) => (result) => { if (turn === latest) draw(result, text); };
  try {
    await Promise.all([
      ask("/predict", {texts: [text]}, signal).then(show(showPrediction)),
      ask("/certify", request, signal).then(show(showCertificate)),
    ]);
  } catch (problem) {
    if (turn === latest) showError(problem.message);
  }
}

function showNothing() {
  of("answer").classList.remove("stale");
  of("empty").hidden = false;
  for (const id of ["result", "error", "covered", "fragile", "nearest", "search"]) of(id).hidden = true;
}

function showError(sentence) {
  showNothing();
  of("empty").hidden = true;
  of("error").textContent = sentence;
  of("error").hidden = false;
}

function showPrediction({label, scores}) {
  drawScores(of("scores").tBodies[0], scores, label);
}

function showCertificate(certificate, text) {
  const {label, radius, claim, sentence, margin, losses, counterexample} = certificate;
  for (const id of ["empty", "error"]) of(id).hidden = true;
  of("result").hidden = false;
  of("answer").classList.remove("stale");
  of("label").textContent = label;
  of("number").textContent = radius < 0 ? "–" : String(radius);
  of("claim").textContent = radius < 0 ? "" : claim;
  of("claim").hidden = radius < 0;
  of("claim").className = claim === "proved" || claim === "exact" ? "" : "less";
  of("sentence").textContent = sentence;
  const smoothed = certificate.method === "smoothing"; // then the scores are not what is certified
  of("scores").caption.textContent = smoothed ? "Scores of the model itself, not smoothed" : "Scores";
  of("fragile").hidden = !(margin > 0) || smoothed || claim === "is the target";
  of("lead").textContent = certificate.target ?? "the next label";
  if (!of("fragile").hidden) {
    drawShades(of("shaded"), text, losses, margin);
    of("scale-end").textContent = percent(Math.max(...losses) / margin);
    drawPlaces(of("places"), text, losses, margin);
  }
  showSlider(certificate, text);
  const [beginning, rest] = meaningOf(certificate);
  of("radius-meaning").replaceChildren(element("strong", "", beginning), rest);
  of("search-note").textContent = "None found so far.";
  showCounterexample(counterexample);
  of("search").hidden = counterexample !== null || radius < 0 || smoothed || claim === "is the target";
}

/** Edits from one to two beyond the radius: so that what is not proved can be seen, too. */
function showSlider(certificate, text) {
  const {claim, radius, unit} = certificate;
  certified = {...certificate, text};
  const most = Math.min(radius + 2, limits.farthest_edit);
  const isLong = Array.from(text).length + most > limits.longest_text; // longer texts than this would be refused
  of("covered").hidden = !["proved", "exact"].includes(claim) || unit !== "characters" || isLong;
  if (of("covered").hidden) return;
  const slider = of("edits-made");
  slider.max = String(most);
  slider.value = String(Math.max(1, Math.min(radius, limits.farthest_edit)));
  drawTexts();
}

/** Show random texts that many edits away with the labels that the model gives them, and say what is proved. */
async function drawTexts() {
  const turn = latest;
  const edits = Number(of("edits-made").value);
  const {text, radius, label, target: wanted} = certified;
  of("edits-shown").textContent = String(edits);
  const kept = wanted === null ? `keep the label ${label}` : `never become ${wanted}`;
  const count = countInWords(text, edits, operations());
  const [made, are] = edits === 1 ? ["one edit", "One edit is"] : [`${edits} edits`, `${edits} edits are`];
  const other = wanted === null ? "have another label" : `be ${wanted}`;
  of("covered-note").textContent = edits <= radius
    ? `Proved: all texts ${made} away${count} ${kept}. Some of them, at random:`
    : `${are} more than the certified radius of ${radius}, so texts ${made} away may ${other}. Some of them, at random:`;
  const texts = Array.from({length: Math.min(DRAWN, limits.largest_batch)}, () => randomEdits(text, edits, operations()));
  try {
    const answer = await fetch("/predict", {
      method: "POST", headers: {"Content-Type": "application/json", ...token()},
      body: JSON.stringify({texts: texts.map((drawn) => drawn.text)}), signal: running.signal,
    });
    const {results} = await contentOf(answer);
    if (turn !== latest || edits !== Number(of("edits-made").value)) return;
    drawCovered(of("covered-texts"), texts.map((drawn, row) => ({...drawn, label: results[row].label})), (found) => (wanted === null ? found !== label : found === wanted));
  } catch (problem) {
    if (turn === latest) of("covered-note").textContent = problem.message;
  }
}

function showCounterexample(counterexample) {
  shown = counterexample;
  of("nearest").hidden = counterexample === null;
  if (counterexample === null) return;
  const {text, distance, label, difference} = counterexample;
  const edits = distance === 1 ? "One edit" : `${distance} edits`;
  of("nearest-title").textContent = `${edits}, and the label is ${label}`;
  drawDifference(of("counterexample"), difference);
  of("counterexample").disabled = text === null;
  of("edits").textContent = `${editsInWords(difference)}.`;
}

async function lookForOne() {
  const turn = latest;
  of("look").disabled = true;
  of("search-note").textContent = "Searching …";
  try {
    const request = {
      texts: [box.value], operations: operations(), target: target(), method: "charmer", max_distance: limits.farthest_edit,
    };
    const found = await ask("/attack", request, running.signal);
    if (turn !== latest) return;
    of("search-note").textContent = `The attack found nothing within ${limits.farthest_edit} edits. That proves nothing.`;
    if (found.counterexample !== null) {
      showCounterexample(found.counterexample);
      of("search").hidden = true;
    }
  } catch (problem) {
    if (turn === latest) of("search-note").textContent = problem.message;
  } finally {
    of("look").disabled = false;
  }
}

function load(text) {
  box.value = text;
  box.focus();
  schedule(0);
}

function noteMethod() {
  of("method-note").textContent = NOTES[of("method").value] ?? "";
}

/** Keep at least one operation allowed: no proof is needed against an attacker who can do nothing. */
function keepOneOperation() {
  const marks = document.querySelectorAll("[name=operation]");
  const last = operations().length === 1;
  for (const mark of marks) mark.disabled = last && mark.checked;
}

async function start() {
  const about = await contentOf(await fetch("/model", {headers: token()}));
  limits = about;
  of("model").textContent = `${about.name} · ${about.labels.slice(0, 8).join(", ")}${about.labels.length > 8 ? ", …" : ""}`;
  of("method").replaceChildren(...about.certifiers.map((name) => element("option", "", name)));
  of("target").replaceChildren(element("option", "", "any other label"), ...about.labels.map((name) => element("option", "", name)));
  of("target").options[0].value = "";
  of("samples").replaceChildren(...about.samples.map(({title, text}) => {
    const button = element("button", "", title);
    button.type = "button";
    button.addEventListener("click", () => load(text));
    return button;
  }));
  of("samples").hidden = about.samples.length === 0;
  noteMethod();
  box.addEventListener("input", () => schedule());
  of("target").addEventListener("change", () => schedule(0));
  of("edits-made").addEventListener("input", drawTexts);
  of("draw-again").addEventListener("click", drawTexts);
  of("method").addEventListener("change", () => { noteMethod(); schedule(0); });
  for (const mark of document.querySelectorAll("[name=operation]")) {
    mark.addEventListener("change", () => { keepOneOperation(); schedule(0); });
  }
  of("counterexample").addEventListener("click", () => load(shown.text));
  of("look").addEventListener("click", lookForOne);
  if (!box.value && about.samples.length) box.value = about.samples[0].text;
  schedule(0);
}

of("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", of("token").value.trim());
  location.reload();
});
start().catch((problem) => showError(problem.message));
