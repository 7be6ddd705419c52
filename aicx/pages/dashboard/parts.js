// One stored part of a session: where it is from, folded to a line, and its turns.

import { copyButton } from "./copy.js";
import { el } from "./dom.js";
import { clock, count, day, plural } from "./format.js";
import { markIn, redactedIn, unmarkIn } from "./highlight.js";
import { drawTurns, textOf } from "./turns.js";

export function drawPart(chunk, cwd, pattern) {
  const part = el(
    "section",
    { class: "part", "data-chunk": chunk.id, "aria-label": `Part ${chunk.number}` },
    provenance(chunk),
    chunk.problem && el("p", { class: "note" }, chunk.problem),
    chunk.number === 1 ? afterTheAsking(drawTurns(chunk.turns, cwd)) : drawTurns(chunk.turns, cwd),
  );
  for (const turn of turnsOf(part)) markIn(turn, pattern);
  return part;
}

// A session begins with what was asked: what a client said before, and commands to it such as /clear, are folded.
function afterTheAsking(turns) {
  const asked = turns.findIndex((turn) => turn.matches(".user:not(details)"));
  if (asked < 1) return turns;
  const before = el("details", { class: "before" }, el("summary", {}, `${plural(asked, "entry", "entries")} before it`), turns.slice(0, asked));
  return [before, ...turns.slice(asked)];
}

export function markAgain(part, pattern) {
  for (const turn of turnsOf(part)) {
    unmarkIn(turn);
    markIn(turn, pattern);
  }
}

// Where to go in a part: to a quoted line with a word of the question, else to any, to such a word, to its beginning.
export function targetIn(part, lines) {
  const wanted = lines.map((line) => line.replace(/^…|…$/g, "").trim()).filter(Boolean);
  const turns = wanted.map((line) => turnsOf(part).find((each) => textOf(each).includes(line))).filter(Boolean);
  return turns.map(firstMark).find(Boolean) ?? turns[0] ?? firstMark(part) ?? part;
}

// A word of a summary line may be cut off there; its place in the text is the one to go to.
function firstMark(node) {
  return node && ([...node.querySelectorAll("mark")].find((mark) => !mark.closest("summary")) ?? null);
}

function turnsOf(part) {
  return [...part.querySelectorAll(".turn")];
}

// The log and the place in it, what was taken out, how to cite it.
function provenance(chunk) {
  const redacted = redactedIn(chunk.turns.map((turn) => turn.text).join("\n"));
  const line = (term, ...value) => [el("dt", {}, term), el("dd", {}, value)];
  const summary = el(
    "summary",
    {},
    el("span", {}, `Part ${chunk.number}`),
    el("span", {}, `${day(chunk.started_at)} ${clock(chunk.started_at)}`),
    redacted.length > 0 && el("span", { class: "redacted" }, `${count(redacted.length)} redacted`),
    el("span", { class: "hint" }, "source"),
  );
  const facts = el(
    "dl",
    {},
    line(
      "Reference",
      el("code", {}, chunk.id),
      copyButton(chunk.id, "Copy ref of the part, for aicx show", "Copy ref"),
    ),
    chunk.sources.flatMap((source) => line("Log", el("code", {}, source.path), ` ${place(source)}`)),
    line("Stored as", el("code", {}, chunk.path)),
    redacted.length > 0 && line("Redacted", byName(redacted)),
  );
  return el("details", { class: "provenance" }, summary, facts);
}

function byName(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, number]) => `${name} ${number}`).join(", ");
}

function place({ format, spans = [], is_there: isThere }) {
  const facts = [format];
  if (spans.length)
    facts.push(`${plural(spans.length, "record")} from ${count(spans[0][0])} to ${count(spans.at(-1)[1])}`);
  if (!isThere) facts.push("the log is gone, what is stored stays");
  return facts.join(", ");
}
