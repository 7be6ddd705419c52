// The list on the left: answers to the question in the address or, without one, the newest sessions. Asks as the person
// types; an answer that is no longer wanted is cancelled and never shown.

import { el, fill } from "./dom.js";
import { count, plural } from "./format.js";
import { markIn, patternOf } from "./highlight.js";
import { newestByRepository, repositoryRows } from "./repositories.js";
import { answerRow, sessionRow } from "./results.js";
import { filtersOf, withoutFilters, writeRoute } from "./route.js";
import { emptyState, failureState, hintLine, noteLines, skeleton } from "./states.js";

const PAUSE = 130;
const PAGE = 20;
const MOST_ANSWERS = 100;
const SESSIONS = 40;

export function createSearch(pane, { source, go, announce }) {
  const list = el("ol", { class: "results", role: "list" });
  const head = el("div", { class: "found" });
  const foot = el("div", { class: "foot" });
  fill(pane, head, list, foot);
  let route = null;
  let asked = "";
  let limit = PAGE;
  let running = null;
  let timer = null;
  let wantsFocus = false;
  let wantsAll = false; // all sessions in one list, in place of the newest of each repository

  function show(next, { typing = false } = {}) {
    route = next;
    const question = key(next);
    if (question === asked) return markOpen();
    asked = question;
    limit = PAGE;
    pane.setAttribute("aria-busy", "true");
    running?.abort();
    clearTimeout(timer);
    if (typing) timer = setTimeout(ask, PAUSE);
    else ask();
  }

  async function ask() {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    if (!list.children.length) fill(foot, skeleton(6));
    const started = performance.now();
    try {
      const isQuestion = Boolean(route.q.trim());
      const isFirst = !isQuestion && !wantsAll && !Object.keys(filtersOf(route)).length;
      const grouped = isFirst && (await newestByRepository(source, signal));
      const found = isQuestion ? await source.search(question(), signal) : grouped || (await source.browse(page(0), signal));
      pane.removeAttribute("aria-busy");
      if (isQuestion) showAnswers(found, performance.now() - started);
      else if (grouped) showRepositories(found);
      else showSessions(found);
    } catch (error) {
      if (error.name === "AbortError") return;
      pane.removeAttribute("aria-busy");
      showFailure(error);
    }
  }

  function question() {
    return {
      q: route.q.trim(),
      mode: route.mode,
      // Of `aicx steer TEXT` the page has the order: by words, meaning and age.
      sort: route.sort === "recent" ? "relevance" : route.sort,
      decay: route.sort === "recent" ? "gentle" : "off",
      group: route.group || "session", // as `aicx search` answers
      team: route.team,
      limit,
      ...filtersOf(route),
    };
  }

  function page(offset) {
    return { ...filtersOf(route), limit: SESSIONS, offset };
  }

  function showAnswers(found, milliseconds) {
    const pattern = patternOf(route.q);
    const said = found.results
      ? `${plural(found.results, "answer")}${found.matched > found.results ? ` of ${count(found.matched)}` : ""}`
      : "Nothing found";
    fill(
      head,
      el("p", {}, el("strong", {}, said), el("span", { class: "how" }, how(found.oracle_status, milliseconds))),
      noteLines([
        found.results ? found.evidence_note : "", // else it is the heading below
        found.oracle_status.fallback_reason,
        ...found.notes,
      ]),
      (found.stated ?? []).map((statement) => statedBlock(statement, pattern)),
    );
    fill(
      list,
      found.items.map((item) =>
        answerRow(item, writeRoute({ ...route, session: `${item.agent}:${item.session_id}`, chunk: item.id }), pattern),
      ),
    );
    fill(foot, found.results ? moreAnswers(found) : nothing(found.evidence_note));
    shown(said);
  }

  // What was stated at the end of a session is in no log, and so no answer.
  function statedBlock({ by, age, project, lines }, pattern) {
    const of = project ? ` of ${project}` : "";
    const said = lines.map((line) => el("div", {}, line));
    for (const line of said) markIn(line, pattern);
    return el(
      "blockquote",
      { class: "stated" },
      el("p", { class: "how" }, `Stated by ${by} at the end of a session${of}, ${age}, not checked`),
      said,
    );
  }

  function showSessions(found) {
    const said = found.matched ? plural(found.matched, "session") : "No sessions";
    fill(
      head,
      el("p", {}, el("strong", {}, said), found.matched > 1 && el("span", { class: "how" }, "newest first")),
      noteLines(found.notes ?? []),
    );
    fill(list, sessionRows(found.items));
    fill(foot, found.matched ? moreSessions(found) : nothingStored());
    shown(said);
  }

  function showRepositories({ sessions, of, groups }) {
    const said = `${plural(sessions, "session")} in ${of === 1 ? "1 repository" : `${count(of)} repositories`}`;
    fill(head, el("p", {}, el("strong", {}, said), el("span", { class: "how" }, "the newest of each")));
    fill(
      list,
      groups.flatMap((group) => repositoryRows(group, addressOf)),
    );
    fill(foot, el("button", { type: "button", click: showAll }, "All sessions, newest first"));
    shown(said);
  }

  function showAll() {
    wantsAll = true;
    ask();
  }

  function sessionRows(items) {
    return items.map((item) => sessionRow(item, addressOf(item)));
  }

  function addressOf(item) {
    return writeRoute({ ...route, session: `${item.agent}:${item.session_id}`, chunk: "" });
  }

  function showFailure(failure) {
    fill(head);
    fill(list);
    const byMeaning = route.mode === "dense" || route.mode === "hybrid";
    fill(
      foot,
      failureState(
        failure,
        ask,
        byMeaning && el("button", { type: "button", click: () => go({ mode: "lexical" }) }, "Search by words"),
      ),
    );
    announce(failure.message);
  }

  function shown(said) {
    announce(said);
    markOpen();
    if (wantsFocus) focusFirst();
  }

  function moreAnswers(found) {
    if (found.matched <= found.results || limit >= MOST_ANSWERS) return null;
    return el("button", { type: "button", click: grow }, "Show more");
  }

  function grow() {
    limit = Math.min(MOST_ANSWERS, limit + 2 * PAGE);
    ask();
  }

  function moreSessions(found) {
    const there = list.children.length;
    if (there >= found.matched) return null;
    const button = el("button", { type: "button", click: extend }, `Show more of ${count(found.matched)}`);
    async function extend() {
      button.disabled = true;
      try {
        const more = await source.browse(page(there));
        list.append(...sessionRows(more.items));
        fill(foot, moreSessions(more));
      } catch (error) {
        fill(foot, failureState(error, extend));
      }
    }
    return button;
  }

  function nothing(note) {
    const steps = [];
    if (Object.keys(filtersOf(route)).length) {
      steps.push(el("button", { type: "button", click: () => go(withoutFilters()) }, "Search without filters"));
    }
    if (route.mode === "lexical" || route.mode === "dense") {
      steps.push(el("button", { type: "button", click: () => go({ mode: "auto" }) }, "Search by words and meaning"));
    }
    return emptyState(
      note || `Nothing matches “${route.q.trim()}”`,
      el("p", {}, "A single word that must have been said is often the best question."),
      steps,
    );
  }

  function nothingStored() {
    if (Object.keys(filtersOf(route)).length) {
      return emptyState(
        "No session fits these filters",
        el("button", { type: "button", click: () => go(withoutFilters()) }, "Clear filters"),
      );
    }
    return emptyState("Nothing is stored yet", hintLine("aicx store"));
  }

  // The row whose session is being read.
  function markOpen() {
    for (const row of list.children) {
      const open =
        route.session !== "" &&
        row.dataset.session === route.session &&
        (!route.chunk || !row.dataset.chunk || row.dataset.chunk === route.chunk);
      row.classList.toggle("open", open);
      const link = row.querySelector("a.title");
      if (link) link.ariaCurrent = open ? "true" : null; // what another member shared has none
    }
  }

  // To the first answer, once it is there.
  function focusFirst() {
    wantsFocus = pane.hasAttribute("aria-busy");
    if (!wantsFocus) list.querySelector("a.title")?.focus();
  }

  return { show, focusFirst, rows: () => [...list.querySelectorAll("a.title")] };
}

function key(route) {
  const { view, session, chunk, ...question } = route;
  return JSON.stringify(question.q.trim() ? question : { ...question, mode: "", sort: "", group: "", team: "" });
}

function how(status, milliseconds) {
  const by =
    {
      hybrid: "words and meaning",
      lexical: "words",
      content_semantic: "meaning",
      filesystem_scan: "reading every part",
    }[status.backend] ?? status.backend;
  const behind = Object.values(status.freshness ?? {}).some((index) => index.behind !== 0);
  return `by ${by} · ${milliseconds < 1 ? "<1" : Math.round(milliseconds)} ms${behind ? " · index behind" : ""}`;
}
