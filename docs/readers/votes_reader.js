// Classify texts with a votes file of levcert (model.to_json()), in a browser or an edge function; no dependencies.

const P = 0x9e3779b97f4a7c15n;
const MIX = 0xd6e8feb86659fd93n;
const MASK = (1n << 64n) - 1n;

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export class VotesReader {
  constructor(text) {
    const model = JSON.parse(text);
    if (model.format !== "levcert-votes" || model.version !== 1) throw new Error("This is not a levcert-votes file of version 1.");
    Object.assign(this, { labels: model.labels, unit: model.unit, fallback: model.default, orders: model.orders, rows: model.rows });
    this.shift = BigInt(64 - Math.log2(model.rows));
    this.ids = new Map();
    for (const [first, ...ids] of model.characters) ids.forEach((id, i) => this.ids.set(first + i, id));
    const used = new DataView(bytesOf(model.used_rows).buffer);
    const votes = new Int8Array(bytesOf(model.votes).buffer);
    this.votes = new Map(); // row of all tables → votes, in units of 1/128
    for (let n = 0; n < used.byteLength / 4; n++) {
      this.votes.set(used.getUint32(4 * n, true), votes.subarray(n * this.labels.length, (n + 1) * this.labels.length));
    }
  }

  // The ids of a text (of a Uint8Array, for a model of bytes); characters without an id are dropped.
  encode(text) {
    if (this.unit === "bytes") return Array.from(text, (byte) => byte + 1);
    return Array.from(text, (character) => this.ids.get(character.codePointAt(0)) ?? this.fallback).filter((id) => id);
  }

  // One whole number for each class: the score in units of 1/128.
  scores(text) {
    const sums = this.labels.map(() => 0);
    const ids = this.encode(text);
    if (!ids.length) return sums;
    this.orders.forEach((n, number) => {
      const padding = Array(n - 1).fill(0);
      const padded = [...padding, ...ids, ...padding].map(BigInt);
      for (let start = 0; start + n <= padded.length; start++) {
        let h = 0n;
        for (let i = start; i < start + n; i++) h = (h * P + padded[i]) & MASK;
        if (h === 0n) continue; // only padding
        const row = number * this.rows + Number((((h ^ (h >> 32n)) * MIX) & MASK) >> this.shift);
        this.votes.get(row)?.forEach((vote, y) => (sums[y] += vote));
      }
    });
    return sums;
  }

  // The label with the highest score; of equal ones, the first.
  predict(text) {
    const sums = this.scores(text);
    return this.labels[sums.indexOf(Math.max(...sums))];
  }
}
