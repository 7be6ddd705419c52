// The work in a repository: three cards say what is open now, what fails and what is next; folded below them are open tasks,
// what its sessions left, failures with their fixes, and contracts. It only shows; commands change.

import { contractBody, contractSummary } from "./contracts.js";
import { el, fill } from "./dom.js";
import { toSession } from "./evidence.js";
import { failureBody, failureSummary } from "./failures.js";
import { ago, count, exact, plural } from "./format.js";
import { handoffBody, handoffSummary } from "./handoffs.js";
import { markdownLine } from "./markdown.js";
import { emptyState, failureState, hintLine, noteLines, skeleton } from "./states.js";
import { taskBody, taskSummary } from "./tasks.js";
import { drawRepository, timelineFold } from "./timeline.js";

const PART = 20;
const MOST = 100;

export function createWork(pane, { source, go, announce }) {
  const project = el("select", { "aria-label": "Whose work", hidden: true, change: () => go({ view: "work", project: project.value }) });
  const body = el("div", { class: "memos-body" });
  const branch = el("span", { class: "how" });
  fill(pane, el("h1", { class: "hidden" }, "Work"), el("div", { class: "row" }, project, branch), body);
  const open = new Map(); // which cards and sections were folded or unfolded by hand
  let page = null;
  let wanted = null;
  let limits = { limit: PART, failures: PART };
  let running = null;

  function show(route) {
    pane.hidden = route.view !== "work";
    if (pane.hidden) return;
    if (page && wanted === route.project) return;
    wanted = route.project;
    limits = { limit: PART, failures: PART };
    fill(body, skeleton(4));
    load();
  }

  async function load() {
    running?.abort();
    running = new AbortController();
    try {
      page = await source.work({ project: wanted, ...limits }, running.signal);
      draw();
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(body, failureState(error, load));
      announce(error.message);
    }
  }

  function draw() {
    fill(project, page.repositories.map(({ name, tasks }) => el("option", { value: name }, tasks ? `${name} (${count(tasks)} open)` : name)));
    if (page.repository && ![...project.options].some(({ value }) => value === page.repository))
      project.append(el("option", { value: page.repository }, page.repository));
    project.value = page.repository ?? "";
    project.hidden = !page.repository;
    fill(branch, page.branch && [el("span", { class: "branch" }, page.branch), " is checked out"]);
    if (!page.repository) return fill(body, nothing());
    const said = [
      plural(page.tasks_total, "open task"),
      plural(page.sessions_total, "session"),
      plural(page.failing_total, "open failure"),
      plural(page.contracts_total, "contract"),
    ].join(", ");
    fill(
      body,
      glance(),
      el("p", { class: "verdict how" }, said),
      unread(),
      noteLines(page.notes),
      noteLines(page.damaged.map(({ path, why }) => `${path} cannot be read: ${why}`)),
      timelineFold("When was it", () => source.repositoryTimeline({ project: page.repository }), drawRepository),
      tasks(),
      section("Sessions", page.sessions.map(handoffCard), {
        left: ["limit", page.sessions_total - page.sessions.length, "aicx task handoffs --limit N"],
        empty: [`No session of it is ${page.unread ? "read" : "stored"} yet.`, "aicx store"],
      }),
      section("Open failures", page.failing.map(failureCard), {
        left: ["failures", page.failing_total - page.failing.length, "aicx failures list --status open --limit N"],
      }),
      section("Resolved failures", page.fixed.map(failureCard), {
        left: ["failures", page.fixed_total - page.fixed.length, "aicx failures list --status resolved --limit N"],
        empty: !page.failing.length && ["No failure is known of its sessions.", "aicx failures"],
      }),
      section("Contracts", page.contracts.map(contractCard), {
        left: ["limit", page.contracts_total - page.contracts.length, "aicx status --usage"],
        empty: ["No session was given a contract yet. Hooks do it at each start:", "aicx init"],
      }),
    );
    announce(said);
  }

  // What a person wants to know first; what needs one is in colour.
  function glance() {
    const left = page.sessions.find((one) => one.left_open) ?? page.sessions.find(({ entry }) => entry.offered);
    const [task] = page.active;
    const [failure] = page.failing;
    const now = task
      ? [task.entry.title, task.entry.updated_at, task.entry.git_context?.branch]
      : left && [left.entry.goal || left.entry.summary, left.entry.at, left.entry.branch];
    const next = task && task.next_field !== "goal" ? task.next : (left?.entry.next[0] ?? (task ? task.next : null));
    const opens = left?.stored && !task ? el("a", { href: toSession(left.session) }, "Open the session") : null;
    return el(
      "div",
      { class: "glance" },
      first("Open now", now && [told(now[0]), when(now[1], now[2]), opens], "Nothing is open here.", task ? "Open tasks" : "Sessions"),
      first(
        "Failing",
        failure && [told(failure.message), when(failure.last_at, failure.file), el("a", { href: toSession(failure.sessions[0]) }, "Open the session")],
        "No failure is known to be open.",
        "Open failures",
        page.failing_total,
      ),
      first("Next", next && [told(next)], "No next step was left.", "Sessions"),
    );
  }

  function first(title, content, none, more, number = 0) {
    const otherwise = page.unread ? "Not known: not all sessions are read yet." : none;
    const fold = () => {
      const section = sections().find(({ ariaLabel }) => ariaLabel === more);
      if (!section) return;
      section.open = true;
      section.querySelector("summary").focus();
    };
    return el(
      "section",
      { class: "first", "data-needs": number > 0 ? "true" : null, "aria-label": title },
      el("h2", {}, title, number > 1 && ` (${count(number)})`),
      content || el("p", { class: "how" }, otherwise),
      content && el("button", { type: "button", class: "quiet", click: fold, "aria-label": `${title}: see all` }, "See all"),
    );
  }

  const told = (text) => el("p", { class: "statement" }, markdownLine(text));
  const when = (at, place) =>
    el("p", { class: "facts" }, place && el("span", { class: "branch" }, place), el("time", { datetime: at, title: exact(at) }, ago(at)));

  function unread() {
    if (!page.unread) return null;
    return el("div", {}, el("p", { class: "note" }, `${plural(page.unread, "session")} not read yet, and missing below.`), hintLine("aicx store"));
  }

  function tasks() {
    const shown = page.active.length + page.waiting.length + page.skipped.length;
    return [
      section("Open tasks", page.active.map((one) => taskCard(one, true)), {
        empty: ["No task is begun here. Without one, aicx goes by the latest session that was left open.", 'aicx task start "what is to be reached"'],
      }),
      section("Paused or blocked", page.waiting.map((one) => taskCard(one))),
      section("Skipped", page.skipped.map((one) => taskCard(one)), {
        about: "Left on branches that are not part of what is checked out: nothing uses or changes them from there.",
      }),
      page.tasks_total > shown && hintLine("aicx task list --limit N"),
    ];
  }

  const taskCard = (one, unfolded = false) => card(one.entry.ref, taskSummary(one), taskBody(one, page.repository), unfolded);
  const handoffCard = (one) => card(one.entry.ref, handoffSummary(one), handoffBody(one, page.repository), one.entry.offered);
  const failureCard = (one) => card(one.id, failureSummary(one), failureBody(one));
  const contractCard = (one) => card(one.ref, contractSummary(one), contractBody(one));

  function card(ref, summary, content, unfolded = false) {
    const fold = el("details", { class: "card", "data-ref": ref, open: open.get(ref) ?? unfolded }, el("summary", {}, summary), el("div", { class: "rest" }, content));
    fold.addEventListener("toggle", () => open.set(ref, fold.open));
    return el("li", {}, fold);
  }

  function section(title, items, { left = null, empty = null, about = "" } = {}) {
    if (!items.length && !empty) return null;
    const content = items.length
      ? [about && el("p", { class: "how" }, about), el("ul", { class: "memos", role: "list" }, items), left && more(title, items.length, ...left)]
      : [el("p", { class: "how" }, empty[0]), hintLine(empty[1])];
    const many = items.length + Math.max(0, left?.[1] ?? 0);
    const fold = el(
      "details",
      { class: "panel fold", "aria-label": title, open: open.get(title) ?? false },
      el("summary", {}, el("h2", {}, title), el("span", { class: "how" }, items.length ? count(many) : "none")),
      content,
    );
    fold.addEventListener("toggle", () => open.set(title, fold.open));
    return fold;
  }

  // More of one list; the focus goes to the first that is new.
  function more(title, shown, name, left, command) {
    if (left <= 0) return null;
    if (limits[name] >= MOST) return el("div", {}, el("p", { class: "how" }, `${count(left)} more after these`), hintLine(command));
    const next = async () => {
      limits[name] = Math.min(MOST, limits[name] + PART);
      await load();
      sections().find(({ ariaLabel }) => ariaLabel === title)?.querySelectorAll(".card > summary")[shown]?.focus();
    };
    return el("p", { class: "more" }, el("button", { type: "button", click: next }, `${count(left)} more`));
  }

  const sections = () => [...body.querySelectorAll(".fold[aria-label]")];
  // What is inside a folded section cannot have the focus.
  const rows = () => [...body.querySelectorAll(".fold > summary, .fold[open] .card > summary")];

  // Unfolds every section and card, or folds all where all are unfolded.
  function toggleFolds() {
    const all = [...sections(), ...body.querySelectorAll(".card")];
    const unfold = all.some((row) => !row.open);
    for (const row of all) row.open = unfold;
  }

  return { show, rows, toggleFolds };
}

function nothing() {
  return emptyState(
    "No work is known yet",
    el("p", {}, "Store the sessions of your agents, or say in a repository what is to be reached."),
    el("p", { class: "command" }, el("code", {}, "aicx store"), el("code", {}, 'aicx task start "…"')),
  );
}
