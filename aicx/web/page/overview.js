// The page about the store itself: what is in it, over time and by project, how fresh, what is about to be lost, and what
// was taken out.

import { el, fill } from "./dom.js";
import { ago, bytes, count, day, exact, plural, projectName } from "./format.js";
import { rankedBars, sparkline, weeklyBars, weeksOf } from "./plots.js";
import { NOTHING_ASKED, writeRoute } from "./route.js";
import { emptyState, failureState, hintLine, noteLines, skeleton } from "./states.js";

const POLL = 1000;
const OTHERS = "others";

export function createOverview(pane, { source, announce, names }) {
  let drawn = false;
  let waiting = null;

  async function show(isShown) {
    pane.hidden = !isShown;
    clearTimeout(waiting);
    if (!isShown) return;
    if (!drawn) fill(pane, skeleton(5));
    try {
      const [status, overview] = await Promise.all([source.status(), source.overview({})]);
      names(overview);
      draw(status, overview);
      // Redactions are counted while one waits, and a run of `aicx store` ends some time.
      if (status.rebuilding || status.redactions.by_kind === null) waiting = setTimeout(() => show(!pane.hidden), POLL);
    } catch (error) {
      fill(pane, failureState(error, () => show(true)));
    }
  }

  function draw(status, overview) {
    drawn = true;
    if (!status.stats.chunks) {
      fill(pane, emptyState("Nothing is stored yet", hintLine("aicx store"), storeButton(status)));
      return;
    }
    const weeks = weeksOf(overview.weeks);
    fill(
      pane,
      el("h1", { class: "hidden" }, "Overview"),
      tiles(status),
      alarms(status.retention),
      section("Sessions a week", weeklyBars(weeks, amountsBy(overview.weeks, "agent"), { title: "Sessions a week by agent", description: `From ${day(weeks[0])} to ${day(weeks.at(-1))}. The table behind it has the numbers.`, width: pane.clientWidth - 32 })),
      section("Projects", projects(overview, weeks)),
      el("div", { class: "columns" }, section("Indexes", indexes(status)), section("Redacted secrets", redactions(status.redactions))),
      section("What agents delete", retention(status.retention)),
      noteLines([status.last_error && `The last store failed: ${status.last_error}`, ...(status.assumptions ?? [])]),
    );
  }

  function tiles({ stats, redactions, generated_at: at, ...status }) {
    const tile = (value, label, title = null) => el("div", { class: "tile", title }, el("b", {}, value), el("span", {}, label));
    return el(
      "div",
      { class: "tiles" },
      tile(count(stats.sessions), stats.sessions === 1 ? "session" : "sessions"),
      tile(count(stats.messages), "messages"),
      tile(count(stats.chunks), "parts", bytes(stats.bytes)),
      tile(count(stats.projects), stats.projects === 1 ? "project" : "projects"),
      tile(count(redactions.total), "secrets redacted"),
      tile(ago(stats.last), "newest message", exact(stats.last)),
      storeButton(status),
    );
  }

  function storeButton({ rebuilding }) {
    if (source.offline) return null;
    const button = el("button", { type: "button", disabled: rebuilding, click: start }, rebuilding ? "Storing…" : "Store now");
    async function start() {
      button.disabled = true;
      try {
        await source.regenerate();
        announce("Storing what is new");
      } catch (error) {
        button.after(failureState(error, () => show(true)));
        return;
      }
      show(true);
    }
    return button;
  }

  return { show };
}

function section(title, ...content) {
  return el("section", { class: "panel" }, el("h2", {}, title), content);
}

// What an agent's clean-up is about to take, loudest first; nothing where nothing is in danger.
function alarms(retention) {
  return retention.filter((item) => item.alarm).map((item) => {
    const soon = item.alarm === "critical";
    const number = soon ? item.unstored_urgent : item.unstored_soon;
    const said = `${plural(number, "log")} of ${item.agent} not stored yet will be deleted ${soon ? "within 24 hours" : "within 7 days"}.`;
    return el("div", { class: `alarm ${item.alarm}`, role: "alert" }, el("strong", {}, said), hintLine("aicx store"));
  });
}

function projects(overview, weeks) {
  const byProject = amountsBy(overview.weeks, "project");
  const names = overview.projects.filter((item) => byProject.has(item.project));
  const row = (name, item) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, item ? el("a", { href: writeRoute({ ...NOTHING_ASKED, project: name }) }, projectName(name)) : `${plural(overview.projects.length - names.length, "other")}`),
      el("td", { class: "spark" }, sparkline(weeks, byProject.get(name), `Sessions a week in ${projectName(name)}`)),
      el("td", { class: "number" }, item && count(item.sessions)),
      el("td", { class: "number" }, item && count(item.chunks)),
      el("td", { class: "when", title: item && `${day(item.first)} to ${day(item.last)}` }, item && ago(item.last)),
    );
  const head = ["Project", "Sessions a week", "Sessions", "Parts", "Last"].map((text) => el("th", { scope: "col" }, text));
  const rest = byProject.has(OTHERS) && !names.some((item) => item.project === OTHERS) ? row(OTHERS, null) : null;
  return el("div", { class: "wide", tabindex: "0" }, el("table", { class: "projects" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, names.map((item) => row(item.project, item)), rest)));
}

function indexes({ index }) {
  const { lexical, dense } = index;
  const fresh = (behind) => (behind === 0 ? [sign("good"), "up to date"] : behind === null ? [sign("bad"), "unknown state"] : [sign("bad"), `${plural(behind, "part")} behind`]);
  const row = (name, ...value) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value));
  return [
    el(
      "table",
      { class: "facts-table" },
      el(
        "tbody",
        {},
        row("By words", lexical.exists ? [fresh(lexical.behind), `, ${bytes(lexical.size)}`] : [sign("bad"), "missing: every part is read for each question"]),
        row("By meaning", dense ? [fresh(dense.behind), `, ${count(dense.passages)} passages, ${dense.model ?? dense.embedder}`] : [sign("none"), "not made; questions are answered by words"]),
      ),
    ),
    !lexical.exists && hintLine("aicx store"),
    dense ? dense.behind !== 0 && hintLine("aicx index") : hintLine("aicx index"),
  ];
}

function sign(state) {
  return el("span", { class: `dot ${state}`, "aria-hidden": "true" });
}

function redactions({ total, by_kind: kinds }) {
  if (kinds === null) return el("p", { class: "note" }, `${count(total)}; being counted by kind…`);
  const pairs = Object.entries(kinds).sort((one, other) => other[1] - one[1]);
  return pairs.length ? rankedBars(pairs, { title: "Redacted secrets by kind", head: ["Kind", "Number", "Length"] }) : el("p", { class: "note" }, "None: no text looked like a secret.");
}

function retention(agents) {
  if (!agents.length) return el("p", { class: "note" }, "No agent's logs are on this machine.");
  const row = (item) =>
    el("tr", {}, el("th", { scope: "row" }, el("span", { class: "agent", "data-agent": item.agent }, item.agent)), el("td", {}, item.problem ?? item.says), el("td", { class: "number" }, count(item.logs)), el("td", { class: "number" }, count(item.due_soon)), el("td", { class: "number" }, count(item.unstored_soon)));
  const head = ["Agent", "Its clean-up", "Logs", "Due in 7 days", "Of these not stored"].map((text) => el("th", { scope: "col" }, text));
  return el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, agents.map(row))));
}

// Name → week → sessions, the most active name first.
function amountsBy(rows, field) {
  const amounts = new Map();
  for (const row of rows) {
    const name = row[field];
    if (!amounts.has(name)) amounts.set(name, new Map());
    const weeks = amounts.get(name);
    weeks.set(row.week, (weeks.get(row.week) ?? 0) + row.sessions);
  }
  const total = (weeks) => [...weeks.values()].reduce((one, other) => one + other, 0);
  return new Map([...amounts].sort((one, other) => total(other[1]) - total(one[1])));
}
