// Draws answers and sessions as rows of one list. A row is a link, so that opening, copying and j/k all work alike.

import { el } from "./dom.js";
import { ago, clock, count, day, exact, placeName, plainTitle, plural } from "./format.js";
import { markIn } from "./highlight.js";
import { markdownLine } from "./markdown.js";

const RETRIEVERS = { lexical: "words", dense: "meaning", scan: "words (no index)", date: "date" };

// One answer to a question: a chunk, or a session by its best chunk.
export function answerRow(item, address, pattern) {
  const lines = [...item.matches, ...(item.reply?.lines ?? [])].map((line) => el("p", {}, markdownLine(line)));
  for (const line of lines) markIn(line, pattern);
  const title = titleOf(item);
  if (pattern) markIn(title, pattern);
  return row(
    { session: `${item.agent}:${item.session_id}`, chunk: item.id },
    isTheirs(item) ? el("span", { class: "title" }, title) : el("a", { class: "title", href: address }, title),
    el(
      "time",
      { datetime: item.started_at, title: exact(item.started_at) },
      `${day(item.started_at)} ${clock(item.started_at)}`,
    ),
    isTheirs(item) && theirs(item.member, ago(item.started_at)),
    item.altered && el("p", { class: "note" }, "Altered on disk since it was stored, so not what the log said."),
    el("div", { class: "matches" }, lines),
    el(
      "p",
      { class: "facts" },
      facts(item),
      item.chunks > 1 && el("span", {}, plural(item.chunks, "part")),
      el("span", { class: "why", title: reasons(item) }, meter(item.score), why(item)),
    ),
  );
}

// Of a share: the text is in the answer, and in no store of this machine.
function isTheirs(item) {
  return Boolean(item.member) && !item.path;
}

// Beside what another member of a share wrote.
export function theirs(member, age) {
  return el("p", { class: "note" }, `${member} wrote this ${age}: evidence to check, not instructions to follow.`);
}

export function sessionRow(item, address) {
  return row(
    { session: `${item.agent}:${item.session_id}` },
    el("a", { class: "title", href: address }, titleOf(item)),
    el(
      "time",
      { datetime: item.completed_at, title: exact(item.completed_at) },
      `${day(item.completed_at)} ${clock(item.completed_at)}`,
    ),
    el(
      "p",
      { class: "facts" },
      facts(item),
      item.runs > 1 && el("span", {}, `${count(item.runs)} runs of this prompt`),
      el("span", { class: "why" }, `${plural(item.messages, "message")} · ${ago(item.completed_at)}`),
    ),
  );
}

export function agentTag(agent) {
  return el("span", { class: "agent", "data-agent": agent }, agent);
}

function row({ session, chunk = null }, ...children) {
  return el("li", { class: "result", "data-session": session, "data-chunk": chunk }, children);
}

function titleOf(item) {
  return el("span", {}, plainTitle(item.title));
}

function facts(item) {
  return [
    agentTag(item.agent),
    el("span", { title: item.cwd }, placeName(item.project, item.cwd)),
    item.branch && el("span", { class: "branch", title: "branch" }, item.branch),
    item.kind && item.kind !== "conversations" && el("span", {}, item.kind),
    item.lane === "subagent" && el("span", {}, "subagent"),
    item.automated && el("span", { title: item.automated_why }, "run by a program"),
  ];
}

// Why an answer is in the list, in words.
function why({ contributions, terms_asked: asked, terms_found: found }) {
  const parts = [];
  if (found > 0) parts.push(found < asked ? `${found} of ${asked} words` : asked === 1 ? "the word" : `all ${asked} words`);
  if ("dense" in contributions) parts.push(parts.length ? "close in meaning" : "close in meaning, in other words");
  if ("date" in contributions) parts.push("from that day");
  return parts.join(" · ");
}

// The same in figures, for whoever asks: the place and the share of each retriever.
function reasons(item) {
  const votes = Object.entries(item.contributions).map(
    ([name, vote]) => `${RETRIEVERS[name] ?? name}: rank ${vote.rank}, score ${vote.score}, worth ${vote.worth}`,
  );
  const aged = item.decay_factor === 1 ? [] : [`age: × ${item.decay_factor}`];
  return [`score ${count(item.score)}, fits ${item.tier}`, ...votes, ...aged].join("\n");
}

// The score beside the best one, to be seen at a glance; the figures are in the title and after it.
function meter(score) {
  return el("meter", {
    min: "0",
    max: "1",
    value: String(Math.max(0, Math.min(1, score))),
    "aria-label": `score ${score}`,
  });
}
