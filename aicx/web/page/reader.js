// One session to read: its turns a few parts at a time, the places that answer the question, where everything is from.

import { copyButton } from "./copy.js";
import { el, fill } from "./dom.js";
import { clock, count, day, exact, plainTitle, plural, projectName } from "./format.js";
import { markIn, patternOf, unmarkIn } from "./highlight.js";
import { agentTag } from "./results.js";
import { writeRoute } from "./route.js";
import { failureState, noteLines, skeleton } from "./states.js";
import { drawTurns, reveal, textOf } from "./turns.js";

const PARTS = 8;
const MOST_HITS = 50;

export function createReader(pane, { source, go, announce }) {
  let route = null;
  let loaded = null; // { key, cwd, from, to, total }
  let hits = [];
  let running = null;
  const head = el("header", { class: "session" });
  const earlier = el("div", { class: "more" });
  const parts = el("div", { class: "parts" });
  const later = el("div", { class: "more" });
  const places = el("span", { class: "places", hidden: true });
  // The next parts are fetched shortly before they are needed.
  const ahead = new IntersectionObserver(([seen]) => seen.isIntersecting && later.querySelector("button")?.click(), { root: pane, rootMargin: "600px" });
  ahead.observe(later);
  fill(pane, head, earlier, parts, later);

  async function show(next) {
    const before = route;
    route = next;
    if (!next.session) return close();
    pane.hidden = false;
    const isNew = before?.session !== next.session || before?.q !== next.q;
    if (isNew) hits = [];
    if (loaded?.key !== next.session || (next.chunk && !partOf(next.chunk))) await open();
    else if (before?.q !== next.q) remark();
    if (route !== next) return;
    if (next.chunk) jump(next.chunk);
    if (isNew) findHits(next);
    else showPlaces();
  }

  function close() {
    running?.abort();
    loaded = null;
    hits = [];
    fill(head);
    fill(parts);
    fill(earlier);
    fill(later);
    pane.hidden = true;
  }

  async function open() {
    running?.abort();
    running = new AbortController();
    loaded = null;
    fill(earlier);
    fill(later);
    fill(parts, skeleton(4));
    try {
      const found = await source.detail({ ...reference(), chunk: route.chunk, limit: PARTS }, running.signal);
      loaded = { key: route.session, cwd: found.session.cwd, from: found.offset, to: found.offset + found.chunks.length, total: found.total };
      drawHead(found);
      fill(parts, found.chunks.map(drawPart));
      offerMore();
      pane.scrollTop = 0;
      head.querySelector("h1").focus({ preventScroll: true });
      announce(`Session ${found.session.title || ""}, ${plural(found.total, "part")}`);
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(head, el("div", { class: "bar" }, el("h1", { tabindex: "-1" }, "Session"), closeButton()));
      fill(parts, failureState(error, open));
    }
  }

  function reference() {
    const [agent, id] = route.session.split(/:(.*)/s);
    return { id, agent };
  }

  function drawHead({ session, total, notes }) {
    const reopen = session.reopen && [el("code", {}, session.reopen), copyButton(session.reopen, "Copy the command that resumes this session", "Copy")];
    fill(
      head,
      el("div", { class: "bar" }, el("h1", { tabindex: "-1" }, plainTitle(session.title)), places, closeButton()),
      el(
        "p",
        { class: "facts" },
        agentTag(session.agent),
        session.projects.map((project) => el("span", {}, projectName(project))),
        el("span", { title: `${exact(session.started_at)} to ${exact(session.completed_at)}` }, span(session)),
        el("span", {}, plural(total, "part")),
        session.lane === "subagent" && el("span", {}, "subagent"),
        session.cwd && el("span", { class: "path", title: "working folder" }, session.cwd),
      ),
      el(
        "p",
        { class: "command" },
        reopen || el("span", {}, `${session.agent} has no command to resume it`),
        copyButton(`${session.agent}:${session.session_id}`, "Copy the session's reference, for aicx show", "Copy ref"),
        el("button", { type: "button", class: "quiet", click: toggleFolds, "data-action": "fold" }, "Unfold all"),
      ),
      kin(session),
      noteLines([!session.log_is_there && session.reopen && "The agent's own log is gone, so resuming may find nothing; everything below is kept.", ...(notes ?? [])]),
    );
  }

  function closeButton() {
    return el("button", { type: "button", class: "close", "aria-label": "Close the session", title: "Close (Esc)", click: () => go({ session: "", chunk: "" }) }, "×");
  }

  function kin(session) {
    const address = (id) => writeRoute({ ...route, session: `${session.agent}:${id}`, chunk: "" });
    const links = session.children.map((id, at) => el("a", { href: address(id) }, session.children.length > 1 ? `session ${at + 1}` : "another session"));
    const parent = session.parent_session && (session.parent_stored ? el("a", { href: address(session.parent_session) }, "another session") : "a session that is not stored");
    if (!parent && !links.length) return null;
    return el(
      "p",
      { class: "kin" },
      parent && [session.lane === "subagent" ? "Subagent of " : "Continues ", parent, ". "],
      links.length > 0 && ["Led to ", links.flatMap((link, at) => (at ? [", ", link] : [link])), "."],
    );
  }

  function drawPart(chunk) {
    const { cwd } = loaded;
    const node = el("section", { class: "part", "data-chunk": chunk.id, "aria-label": `Part ${chunk.number}` }, provenance(chunk), chunk.problem && el("p", { class: "note" }, chunk.problem), drawTurns(chunk.turns, cwd));
    for (const turn of node.querySelectorAll(".turn")) markIn(turn, patternOf(route.q));
    return node;
  }

  function offerMore() {
    const { from, to, total } = loaded;
    fill(earlier, from > 0 && moreButton(`${plural(from, "earlier part")}`, Math.max(0, from - PARTS), Math.min(PARTS, from)));
    fill(later, to < total && moreButton(`${plural(total - to, "later part")}`, to, PARTS));
  }

  function moreButton(label, offset, limit) {
    const button = el("button", { type: "button", click: load }, label);
    const of = loaded;
    async function load() {
      if (button.disabled) return;
      button.disabled = true;
      try {
        const found = await source.detail({ ...reference(), offset, limit });
        if (loaded !== of) return;
        const nodes = found.chunks.map(drawPart);
        if (offset < loaded.from) prepend(nodes, offset);
        else {
          parts.append(...nodes);
          loaded.to = offset + nodes.length;
        }
        offerMore();
        markPlace();
      } catch (error) {
        button.replaceWith(failureState(error, offerMore));
      }
    }
    return button;
  }

  // What is being read stays where it is on the screen.
  function prepend(nodes, offset) {
    const scroller = pane.scrollHeight > pane.clientHeight + 1 ? pane : document.scrollingElement;
    const below = scroller.scrollHeight - scroller.scrollTop;
    parts.prepend(...nodes);
    loaded.from = offset;
    scroller.scrollTop = scroller.scrollHeight - below;
  }

  function remark() {
    const pattern = patternOf(route.q);
    for (const turn of parts.querySelectorAll(".turn")) {
      unmarkIn(turn);
      markIn(turn, pattern);
    }
  }

  // The session's parts that answer the question, in the order of the session.
  async function findHits(asked) {
    if (!asked.q.trim()) return showPlaces();
    const { id } = reference();
    try {
      const found = await source.search({ q: asked.q.trim(), mode: asked.mode, session: id, limit: MOST_HITS });
      if (route.session !== asked.session || route.q !== asked.q) return;
      hits = best(found.items.filter((item) => `${item.agent}:${item.session_id}` === asked.session));
    } catch {
      hits = []; // The list beside the reader tells what is wrong with the question.
    }
    showPlaces();
    if (route.chunk) jump(route.chunk);
  }

  function showPlaces() {
    places.hidden = !hits.length;
    const at = hits.findIndex((hit) => hit.id === route.chunk);
    const step = (by, label, sign) => el("button", { type: "button", "aria-label": label, title: label, click: () => move(by) }, sign);
    fill(places, step(-1, "Previous hit (p)", "‹"), el("span", {}, `${at < 0 ? "–" : at + 1} of ${plural(hits.length, "hit")}`), step(1, "Next hit (n)", "›"));
    markPlace();
  }

  function move(by) {
    if (!hits.length) return;
    const at = hits.findIndex((hit) => hit.id === route.chunk);
    const next = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    if (hits[next].id === route.chunk) jump(route.chunk);
    else go({ chunk: hits[next].id }, { replace: true });
  }

  function jump(chunk) {
    const part = partOf(chunk);
    if (!part) return;
    const target = targetIn(part, hits.find((hit) => hit.id === chunk));
    markPlace();
    for (const old of parts.querySelectorAll(".hit")) old.classList.remove("hit");
    const turn = target.closest(".turn");
    turn?.classList.add("hit");
    reveal(target);
    target.scrollIntoView({ block: turn ? "center" : "start" });
  }

  // The line that answers best, else the first word of the question, else the part itself.
  function targetIn(part, hit) {
    const line = hit?.matches[0]?.replace(/^…\s*|\s*…$/g, "").trim();
    const turns = [...part.querySelectorAll(".turn")];
    const turn = line && turns.find((node) => textOf(node).includes(line));
    return firstMark(turn) ?? turn ?? firstMark(part) ?? part;
  }

  function markPlace() {
    for (const part of parts.children) part.classList.toggle("current", part.dataset.chunk === route.chunk);
  }

  function partOf(chunk) {
    return [...parts.children].find((part) => part.dataset.chunk === chunk);
  }

  function toggleFolds() {
    if (!loaded) return;
    const folds = [...parts.querySelectorAll("details.turn")];
    const open = folds.some((fold) => !fold.open);
    for (const fold of folds) fold.open = open;
    head.querySelector("[data-action=fold]").textContent = open ? "Fold all" : "Unfold all";
  }

  return { show, move, toggleFolds, turns: () => [...parts.querySelectorAll(".turn")] };
}

// Where a part is from: the log and the place in it, what was taken out, how to cite it.
function provenance(chunk) {
  const redacted = Object.entries(chunk.redactions ?? {});
  const total = redacted.reduce((sum, [, number]) => sum + number, 0);
  const line = (term, ...value) => [el("dt", {}, term), el("dd", {}, value)];
  return el(
    "details",
    { class: "provenance" },
    el("summary", {}, el("span", {}, `Part ${chunk.number}`), el("span", {}, `${day(chunk.started_at)} ${clock(chunk.started_at)}`), chunk.branch && el("span", { class: "branch" }, chunk.branch), total > 0 && el("span", { class: "redacted" }, `${count(total)} redacted`), el("span", { class: "hint" }, "source")),
    el(
      "dl",
      {},
      line("Reference", el("code", {}, chunk.id), copyButton(chunk.id, "Copy the part's reference, for aicx show", "Copy ref")),
      chunk.sources.flatMap((source) => line("Log", el("code", {}, source.path), el("span", {}, ` ${place(source)}`))),
      chunk.path && line("Stored as", el("code", {}, chunk.path)),
      redacted.length > 0 && line("Redacted", redacted.map(([rule, number]) => `${rule} ${number}`).join(", ")),
    ),
  );
}

function place(source) {
  const spans = source.spans ?? [];
  const at = spans.length ? `, ${plural(spans.length, "record")} from ${count(spans[0][0])} to ${count(spans.at(-1)[1])}` : "";
  return `${source.format ?? ""}${at}${source.is_there === false ? "; the log is gone, what is stored stays" : ""}`;
}

function span({ started_at: from, completed_at: to }) {
  const sameDay = day(from) === day(to);
  return `${day(from)} ${clock(from)} – ${sameDay ? "" : `${day(to)} `}${clock(to)}`;
}

// A word of the summary line is cut off there; its place in the text is the one to go to.
function firstMark(node) {
  return node && ([...node.querySelectorAll("mark")].find((mark) => !mark.closest("summary")) ?? null);
}

// In a long session nearly every part has one word of the question; those that have most of them are worth going to.
function best(items) {
  const most = Math.max(...items.map((item) => item.terms_found));
  return items.filter((item) => item.terms_found === most).sort((one, other) => numberOf(one.id) - numberOf(other.id));
}

function numberOf(id) {
  return Number(id.slice(id.lastIndexOf(":") + 1));
}
