// One session to read: a few parts at a time, and the way from one place that answers the question to the next.

import { el, fill } from "./dom.js";
import { plural } from "./format.js";
import { markIn, patternOf } from "./highlight.js";
import { drawPart, markAgain, targetIn } from "./parts.js";
import { writeRoute } from "./route.js";
import { sessionHead, titleBar } from "./session.js";
import { failureState, skeleton } from "./states.js";
import { drawSession, timelineFold } from "./timeline.js";
import { joinAcross, reveal } from "./turns.js";

const PARTS = 8;
const MOST_HITS = 50;

export function createReader(pane, { source, go, announce }) {
  let route = { session: "", chunk: "", q: "" };
  let loaded = null; // { key, cwd, from, to, total } of the parts that are drawn
  let hits = []; // answers to the question in this session, in its order
  let running = null;
  const head = el("header", { class: "session" });
  const earlier = el("div", { class: "more" });
  const parts = el("div", { class: "parts" });
  const later = el("div", { class: "more" });
  const places = el("span", { class: "places", hidden: true });
  const unfold = el("button", { type: "button", class: "quiet", click: toggleFolds });
  const close = el(
    "button",
    { type: "button", class: "close", "aria-label": "Close the session", title: "Close (Esc)", click: leave },
    "×",
  );
  fill(pane, head, earlier, parts, later);
  // The next parts are fetched shortly before they are needed.
  const ahead = ([seen]) => seen.isIntersecting && later.querySelector("button")?.click();
  new IntersectionObserver(ahead, { root: pane, rootMargin: "600px" }).observe(later);

  async function show(next) {
    const before = route;
    route = next;
    pane.hidden = !next.session;
    if (!next.session) return clear();
    const isAskedAnew = before.session !== next.session || before.q !== next.q;
    if (isAskedAnew) hits = [];
    if (loaded?.key !== next.session || (next.chunk && !partOf(next.chunk))) await open();
    else if (before.q !== next.q) for (const part of parts.children) markAgain(part, patternOf(next.q));
    if (route !== next || !loaded) return;
    if (next.chunk) jump();
    if (isAskedAnew) findHits(next);
    else showPlaces();
  }

  function clear() {
    running?.abort();
    loaded = null;
    for (const node of [head, earlier, parts, later]) fill(node);
  }

  function leave() {
    go({ session: "", chunk: "" });
  }

  async function open() {
    clear();
    running = new AbortController();
    fill(parts, skeleton(4));
    try {
      const found = await source.detail({ ...reference(), chunk: route.chunk, limit: PARTS }, running.signal);
      const { session, offset, chunks, total } = found;
      loaded = { key: route.session, cwd: session.cwd, from: offset, to: offset + chunks.length, total };
      unfold.textContent = "Unfold all";
      const address = (key) => writeRoute({ ...route, session: key, chunk: "" });
      const timeline = source.sessionTimeline && timelineFold("When was it", () => source.sessionTimeline(reference()), drawSession);
      fill(head, sessionHead(found, { bar: [places, close], unfold, address }), timeline);
      fill(parts, chunks.map(draw));
      join();
      offerMore();
      pane.scrollTop = 0;
      announce(`Session ${session.title || ""}, ${plural(total, "part")}`);
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(head, titleBar("Session", close));
      fill(
        parts,
        failureState(error, () => show(route)),
      );
    }
    head.querySelector("h1").focus({ preventScroll: true });
  }

  function reference() {
    const [agent, id] = route.session.split(/:(.*)/s);
    return { id, agent };
  }

  // A call stays with its result though a part ends between them.
  function join() {
    joinAcross(parts, loaded.cwd, (node) => markIn(node, patternOf(route.q)));
  }

  function draw(chunk) {
    return drawPart(chunk, loaded.cwd, patternOf(route.q));
  }

  // More of the session

  function offerMore() {
    const { from, to, total } = loaded;
    fill(
      earlier,
      from > 0 && moreButton(plural(from, "earlier part"), Math.max(0, from - PARTS), Math.min(PARTS, from)),
    );
    fill(later, to < total && moreButton(plural(total - to, "later part"), to, PARTS));
  }

  function moreButton(label, offset, limit) {
    const button = el("button", { type: "button", click: load }, label);
    const of = loaded;
    async function load() {
      button.disabled = true;
      try {
        const found = await source.detail({ ...reference(), offset, limit });
        if (loaded !== of) return;
        if (offset < loaded.from) prepend(found.chunks.map(draw), offset);
        else {
          parts.append(...found.chunks.map(draw));
          loaded.to = offset + found.chunks.length;
        }
        join();
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

  // Places that answer the question

  async function findHits(asked) {
    showPlaces();
    const q = asked.q.trim();
    if (!q) return;
    try {
      const found = await source.search({ q, mode: asked.mode, session: reference().id, limit: MOST_HITS });
      if (route.session !== asked.session || route.q !== asked.q) return;
      hits = best(found.items.filter((item) => `${item.agent}:${item.session_id}` === asked.session));
    } catch {
      return; // the list beside the reader tells what is wrong with the question
    }
    showPlaces();
    if (route.chunk) jump();
  }

  function showPlaces() {
    const at = place();
    const step = (by, label, sign) =>
      el("button", { type: "button", "aria-label": label, title: label, click: () => move(by) }, sign);
    places.hidden = !hits.length;
    fill(
      places,
      step(-1, "Previous hit (p)", "‹"),
      el("span", {}, `${at < 0 ? "–" : at + 1} of ${plural(hits.length, "hit")}`),
      step(1, "Next hit (n)", "›"),
    );
    markPlace();
  }

  function place() {
    return hits.findIndex((hit) => hit.id === route.chunk);
  }

  function move(by) {
    if (!hits.length) return;
    const at = place();
    const next = at < 0 && by < 0 ? hits.length - 1 : (at + by + hits.length) % hits.length;
    if (next === at) jump();
    else go({ chunk: hits[next].id }, { replace: true });
  }

  function jump() {
    const part = partOf(route.chunk);
    if (!part) return;
    markPlace();
    const target = targetIn(part, hits[place()]?.matches ?? []);
    const turn = target.closest(".turn");
    for (const old of parts.querySelectorAll(".hit")) old.classList.remove("hit");
    turn?.classList.add("hit");
    reveal(target);
    target.scrollIntoView({ block: turn ? "center" : "start" });
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
    unfold.textContent = open ? "Fold all" : "Unfold all";
  }

  return { show, move, toggleFolds, turns: () => [...parts.querySelectorAll(".turn")] };
}

// In a long session nearly every part has one word of the question; those that have most of them are worth going to.
function best(items) {
  const most = Math.max(...items.map((item) => item.terms_found));
  const number = ({ id }) => Number(id.slice(id.lastIndexOf(":") + 1));
  return items.filter((item) => item.terms_found === most).sort((one, other) => number(one) - number(other));
}
