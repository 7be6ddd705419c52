// What one session left to the next: done, failing, next, and where to begin, each line with its evidence.

import { el } from "./dom.js";
import { lines, refLink, toSession } from "./evidence.js";
import { ago, exact } from "./format.js";
import { markdownLine } from "./markdown.js";
import { agentTag } from "./results.js";

const OUTCOMES = { resolved: "✓ resolved", failed: "✕ failed", unresolved: "· unresolved" };
const LISTS = [
  ["Done", "done"],
  ["Fails", "failing"],
  ["Next", "next"],
  ["Open questions", "questions"],
  ["Decided", "decisions"],
  ["Commits", "commits"],
  ["Tests", "tests"],
];

export function handoffSummary({ entry, left_open: leftOpen }) {
  const [label, text] = telling(entry);
  return [
    el("span", { class: "statement" }, entry.goal || "No goal was said"),
    text && el("span", { class: "next" }, el("b", {}, `${label} `), markdownLine(text)),
    el(
      "span",
      { class: "facts" },
      el("span", { "data-state": entry.outcome }, OUTCOMES[entry.outcome] ?? entry.outcome),
      leftOpen && el("span", { class: "note" }, "left open"),
      entry.agent && agentTag(entry.agent),
      entry.branch && el("span", { class: "branch", title: "branch it was on" }, entry.branch),
      entry.offered && el("span", { class: "pinned", title: "what the next session is offered" }, "offered next"),
      entry.compatible === false && el("span", { class: "note" }, "not part of what is checked out"),
      entry.origin === "stated" && el("span", {}, "stated"),
      el("time", { datetime: entry.at, title: exact(entry.at) }, ago(entry.at)),
    ),
  ];
}

// A decision that was only stated is a candidate until a person accepts it.
function titleOf(title, name, { origin }) {
  return name === "decisions" && origin === "stated" ? `${title}, as stated (candidates)` : title;
}

// The line that says most of what it left.
function telling({ failing, next, done, summary }) {
  const all = [["Fails", failing[0]], ["Next", next[0]], ["Done", done[0]], ["Said last", summary]];
  return all.find(([, text]) => text) ?? [];
}

export function handoffBody({ entry, session, stored, proofs }, project) {
  const said = entry.summary && !entry.done.includes(entry.summary);
  return [
    said && lines("Said last", [entry.summary], { proofs, project }),
    LISTS.map(([title, name]) => lines(titleOf(title, name, entry), entry[name], { proofs, project })),
    lines("Begin at", entry.starting_points, { proofs, project, code: true }),
    el(
      "p",
      { class: "from" },
      stored ? el("a", { href: toSession(session) }, "Open the session") : "The session is not stored, or not read yet. ",
      entry.ref !== session && [" ", refLink(entry.ref)],
    ),
  ];
}
