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
    el("span", { class: "statement" }, titleOf(entry)),
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

// A statement without a goal is known by what it states.
function titleOf({ goal, origin, summary }) {
  return goal || (origin === "stated" && summary) || "No goal was said";
}

// A decision that was only stated is a candidate until a person accepts it.
function headingOf(title, name, { origin }) {
  return name === "decisions" && origin === "stated" ? `${title}, as stated (candidates)` : title;
}

// The line that says most of what it left: what was stated goes before what its log says.
function telling(entry) {
  const { failing, next, done, summary, origin } = entry;
  const log = [["Fails", failing[0]], ["Next", next[0]], ["Done", done[0]], ["Said last", summary]];
  const stated = titleOf(entry) === summary ? ["Next", next[0]] : ["Stated", summary];
  const all = origin === "stated" ? [stated, ...log.filter(([, text]) => text !== summary)] : log;
  return all.find(([, text]) => text) ?? [];
}

export function handoffBody({ entry, session, stored, proofs }, project) {
  const said = entry.summary && !entry.done.includes(entry.summary);
  return [
    said && lines(entry.origin === "stated" ? "Stated" : "Said last", [entry.summary], { proofs, project }),
    LISTS.map(([title, name]) => lines(headingOf(title, name, entry), entry[name], { proofs, project })),
    lines("Begin at", entry.starting_points, { proofs, project, code: true }),
    el(
      "p",
      { class: "from" },
      stored ? el("a", { href: toSession(session) }, "Open the session") : "The session is not stored, or not read yet. ",
      entry.ref !== session && [" ", refLink(entry.ref)],
    ),
  ];
}
