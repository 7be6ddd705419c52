// Puts the page together: the address decides what is shown, and every change goes through it.

import { createControls } from "./controls.js";
import { helpDialog, listenToKeys, moveFocus } from "./keys.js";
import { createMemory } from "./memory.js";
import { createOverview } from "./overview.js";
import { createReader } from "./reader.js";
import { readRoute, writeRoute } from "./route.js";
import { createSearch } from "./search.js";
import { currentTheme, initTheme, nextTheme } from "./theme.js";
import { createWhy } from "./why.js";
import { createWork } from "./work.js";

// Typing that goes on within this time is one question in the browser's history, not one a letter.
const ONE_THOUGHT = 2000;
const THEMES = { system: "◐", light: "○", dark: "●" };

// `source` offers the data: `server.js`, or `embedded.js` in a page that is a file.
export function start(source) {
  initTheme();
  const by = (id) => document.getElementById(id);
  const app = { source, go, announce: (text) => (by("announced").textContent = text), names };
  const box = by("question");
  const theme = by("theme");
  const help = helpDialog();
  document.body.append(help);
  const controls = createControls(box, by("controls"), { about: source.about, change: go });
  const search = createSearch(by("found"), app);
  const reader = createReader(by("reader"), app);
  const overview = createOverview(by("overview"), app);
  const why = createWhy(by("why"), app);
  const memory = createMemory(by("memory"), app);
  const work = createWork(by("work"), app);
  by("to-why").hidden = !source.why;
  by("to-memory").hidden = !source.memory;
  by("to-work").hidden = !source.work;
  let route = readRoute(location.hash);
  let typedAt = 0;
  let named = false;

  // Changes the address, and with it what is shown.
  function go(changes, { typing = false, replace = false } = {}) {
    const next = { ...route, ...changes };
    // A new question is asked from the list, on a small screen too; what is being read stays open beside it on a large one.
    if ("q" in changes && isNarrow()) next.session = next.chunk = "";
    if (!("view" in changes)) next.view = "search";
    const now = Date.now();
    const same = replace || (typing && now - typedAt < ONE_THOUGHT);
    typedAt = typing ? now : 0;
    history[same ? "replaceState" : "pushState"](null, "", writeRoute(next));
    show(next, { typing });
  }

  function show(next, { typing = false } = {}) {
    app.announce(""); // of the page before
    const closed = route.session && !next.session ? route : null;
    // A file has no git to ask, no memory to decide about, and no work that goes on.
    route = ["why", "memory", "work"].includes(next.view) && !source[next.view] ? { ...next, view: "search" } : next;
    next = route;
    const asked = next.view === "search";
    by("search").hidden = !asked;
    by("controls").hidden = !asked;
    tab("to-search", "search", next);
    tab("to-overview", "overview", next);
    tab("to-why", "why", next);
    tab("to-memory", "memory", next);
    tab("to-work", "work", next);
    menu(false);
    document.body.classList.toggle("reading", asked && next.session !== "");
    const asking = { why: `Why ${next.target}`.trim(), search: next.q.trim() };
    const titles = { overview: "Overview", memory: "Memory", work: "Work", ...asking };
    document.title = [titles[next.view], "aicx"].filter(Boolean).join(" · ");
    controls.show(next);
    overview.show(next.view === "overview");
    why.show(next);
    memory.show(next);
    work.show(next);
    if (next.view !== "overview" && !named) source.overview({}).then(names, () => {}); // they may come after the first answers
    if (!asked) return;
    search.show(next, { typing });
    reader.show(next);
    if (closed) focusRow(closed);
  }

  // What there is to choose from in the filters.
  function names(overview) {
    named = true;
    controls.offer(overview, route);
    why.offer(overview);
  }

  // Closing a session leads back to where it was opened.
  function focusRow(closed) {
    const leads = ({ hash }) => {
      const { session, chunk } = readRoute(hash);
      return session === closed.session && chunk === closed.chunk;
    };
    search.rows().find(leads)?.focus();
  }

  // The other view keeps the question.
  function tab(id, view, next) {
    by(id).href = writeRoute({ ...next, view });
    by(id).ariaCurrent = next.view === view ? "page" : null;
  }

  // On a phone the pages are in a menu.
  function menu(open) {
    by("menu").ariaExpanded = String(open);
    by("pages").classList.toggle("open", open);
    if (open) by("pages").querySelector("a").focus();
  }

  function showTheme() {
    const name = currentTheme();
    theme.textContent = THEMES[name];
    theme.title = theme.ariaLabel = `Theme: ${name} (t)`;
  }

  function isNarrow() {
    return matchMedia("(max-width: 59.99rem)").matches;
  }

  function inReader() {
    return route.session && (isNarrow() || by("reader").contains(document.activeElement));
  }

  function changeTheme() {
    nextTheme();
    showTheme();
    app.announce(theme.title);
  }

  function toWhy() {
    if (!source.why) return;
    go({ view: route.view === "why" ? "search" : "why" });
    if (route.view === "why") why.box.select();
  }

  function escape() {
    if (by("menu").ariaExpanded === "true") {
      menu(false);
      by("menu").focus();
    } else if ([box, why.box].includes(document.activeElement)) document.activeElement.blur();
    else if (route.view !== "search") go({ view: "search" });
    else if (route.session) go({ session: "", chunk: "" });
  }

  function toMemory() {
    if (source.memory) go({ view: route.view === "memory" ? "search" : "memory" });
  }

  function toWork() {
    if (source.work) go({ view: route.view === "work" ? "search" : "work" });
  }

  const rows = () =>
    ({ why: why.rows, memory: memory.rows, work: work.rows })[route.view]?.() ?? (inReader() ? reader.turns() : search.rows());
  const move = (by) => moveFocus(rows(), by);
  theme.addEventListener("click", changeTheme);
  by("skip").addEventListener("click", (event) => {
    event.preventDefault();
    by("found").focus();
  });
  by("menu").addEventListener("click", () => menu(by("menu").ariaExpanded !== "true"));
  by("keys").addEventListener("click", () => help.showModal());
  by("ask").addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("keydown", (event) => event.key === "Enter" && search.focusFirst());
  window.addEventListener("popstate", () => show(readRoute(location.hash)));
  listenToKeys({
    "/": () => box.select(),
    w: toWhy,
    m: toMemory,
    c: toWork,
    j: () => move(1),
    k: () => move(-1),
    n: () => reader.move(1),
    p: () => reader.move(-1),
    u: () => (route.view === "work" ? work : reader).toggleFolds(),
    o: () => go({ view: route.view === "overview" ? "search" : "overview" }),
    t: changeTheme,
    "?": () => help.showModal(),
    Escape: escape,
  });
  showTheme();
  show(route);
}
