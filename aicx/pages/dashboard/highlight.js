// Marks a question's words in a text. The server finds inflected words by their stems; here a word's beginning does.

import { isName, isStopWord, phrasesOf, stemOf } from "./words.js";

const REDACTED = /\[REDACTED:([^\]\s]{1,60})\]/g;

// A pattern for the words, names and quoted phrases of a question; null where nothing is to be marked.
export function patternOf(question) {
  const { phrases, rest } = phrasesOf(question);
  const parts = phrases.map((phrase) => phrase.split(/\s+/).map(escaped).join("\\s+"));
  for (const raw of rest.split(/\s+/)) {
    const word = raw.replace(/^[^\p{L}\p{N}_/.]+/u, "").match(/^.*[\p{L}\p{N}_/]/su)?.[0];
    if (!word || isStopWord(word)) continue;
    parts.push(isName(word) ? escaped(word) : `(?<![\\p{L}\\p{N}])${escaped(stemOf(word))}[\\p{L}\\p{N}]*`);
  }
  parts.sort((one, other) => other.length - one.length);
  return parts.length ? new RegExp(parts.join("|"), "giu") : null;
}

// Wraps every match inside a node's text in <mark>.
export function markIn(node, pattern) {
  if (pattern) wrapIn(node, pattern, "mark");
}

export function unmarkIn(node) {
  for (const mark of node.querySelectorAll("mark")) mark.replaceWith(...mark.childNodes);
  node.normalize();
}

// The kind of each secret that a mark stands for in a text.
export function redactedIn(text) {
  return [...text.matchAll(REDACTED)].map(([, kind]) => kind);
}

// Shows what stands in a secret's place as the mark that it is.
export function showRedacted(node) {
  wrapIn(node, REDACTED, "span", "redacted");
}

function wrapIn(node, pattern, tag, className) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) wrapText(text, pattern, tag, className);
}

function wrapText(text, pattern, tag, className = "") {
  const pieces = [];
  let from = 0;
  for (const match of text.data.matchAll(pattern)) {
    if (!match[0]) continue;
    const wrapped = document.createElement(tag);
    if (className) wrapped.className = className;
    wrapped.textContent = match[0];
    pieces.push(text.data.slice(from, match.index), wrapped);
    from = match.index + match[0].length;
  }
  if (pieces.length) text.replaceWith(...pieces, text.data.slice(from));
}

function escaped(text) {
  // Only what means something in a pattern: the flag u refuses an escaped hyphen.
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
