// BM25 over a few thousand texts, in the browser, for a page that has no server to ask.

import { termsOf } from "./words.js";

const K1 = 1.2;
const B = 0.75;
// The screen is drawn again after so many milliseconds of work.
const SLICE = 30;

export class Index {
  #postings = new Map(); // term → [document, weight, document, weight, …]
  #lengths = [];

  // Reads the parts of each document: [text, weight] pairs. Gives way to the screen now and then.
  static async of(documents, partsOf) {
    const index = new Index();
    let since = performance.now();
    for (const document of documents) {
      index.#add(partsOf(document));
      if (performance.now() - since > SLICE) {
        await new Promise((resume) => setTimeout(resume));
        since = performance.now();
      }
    }
    return index;
  }

  // Document number → score, for those with any of the terms.
  scores(terms) {
    const scores = new Map();
    const average = this.#lengths.reduce((sum, length) => sum + length, 0) / (this.#lengths.length || 1);
    for (const term of new Set(terms)) {
      const postings = this.#postings.get(term) ?? [];
      const holding = postings.length / 2;
      const rarity = Math.log(1 + (this.#lengths.length - holding + 0.5) / (holding + 0.5));
      for (let at = 0; at < postings.length; at += 2) {
        const [document, weight] = [postings[at], postings[at + 1]];
        const share = (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * this.#lengths[document]) / average));
        scores.set(document, (scores.get(document) ?? 0) + rarity * share);
      }
    }
    return scores;
  }

  #add(parts) {
    const document = this.#lengths.length;
    const weights = new Map();
    let length = 0;
    for (const [text, weight] of parts) {
      for (const term of termsOf(text)) {
        weights.set(term, (weights.get(term) ?? 0) + weight);
        length += weight;
      }
    }
    this.#lengths.push(length);
    for (const [term, weight] of weights) {
      const postings = this.#postings.get(term);
      if (postings) postings.push(document, weight);
      else this.#postings.set(term, [document, weight]);
    }
  }
}
