// Random edits of a text, for the texts that a proof covers.

import {powerOfTen} from "./draw.js";

const CHARACTERS = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,!?-'@$éñßаеоλ中😀");
const SCALARS = 1112064; // Unicode characters: all code points but surrogates

const below = (limit) => Math.floor(Math.random() * limit);

/** Make some edits at once, as a threat counts them: at most one for each character, and insertions between them. */
export function randomEdits(text, edits, operations) {
  const characters = Array.from(text);
  const changed = new Map(); // character -> what takes its place; "" for a deletion
  const inserted = characters.map(() => "").concat("");
  for (let made = 0, tries = 0; made < edits && tries < 1000; tries += 1) {
    const operation = operations[below(operations.length)];
    const symbol = CHARACTERS[below(CHARACTERS.length)];
    if (operation === "insert") {
      inserted[below(inserted.length)] += symbol;
      made += 1;
      continue;
    }
    const place = below(characters.length);
    if (!characters.length || changed.has(place) || (operation === "substitute" && symbol === characters[place])) continue;
    changed.set(place, operation === "delete" ? "" : symbol);
    made += 1;
  }
  const parts = [];
  const add = (kind, piece) => {
    if (!piece) return;
    if (parts.at(-1)?.kind === kind) parts.at(-1).text += piece;
    else parts.push({kind, text: piece});
  };
  characters.forEach((character, place) => {
    add("added", inserted[place]);
    if (!changed.has(place)) add("same", character);
    else {
      add("removed", character);
      add("added", changed.get(place));
    }
  });
  add("added", inserted[characters.length]);
  const result = parts.filter(({kind}) => kind !== "removed").map((part) => part.text).join("");
  return {text: result, parts};
}

const count = (exponent) => (exponent < 7 ? (10 ** exponent).toLocaleString("en") : powerOfTen(exponent));

/** Say how many texts there are at least: those made by substitutions alone, or by insertions alone. */
export function countInWords(text, edits, operations) {
  const length = Array.from(text).length;
  const choose = (n, k) => Array.from({length: k}, (_, i) => Math.log10((n - i) / (i + 1))).reduce((a, b) => a + b, 0);
  let digits = -1;
  if (operations.includes("substitute") && length >= edits) digits = choose(length, edits) + edits * Math.log10(SCALARS - 1);
  if (operations.includes("insert")) digits = Math.max(digits, choose(length + edits, edits) + edits * Math.log10(SCALARS - 1));
  return digits < 0 ? "" : `, more than ${count(Math.floor(digits))} of them,`;
}
