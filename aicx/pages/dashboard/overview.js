// The page about the store itself: what is in it, over time and by project, how fresh, what is about to be lost, and what
// was taken out.

import { el, fill } from "./dom.js";
import { ago, bytes, count, day, exact, plural, projectName } from "./format.js";
import { rankedBars, sparkline, weeklyBars, weeksOf } from "./plots.js";
import { agentTag } from "./results.js";
import { NOTHING_ASKED, writeRoute } from "./route.js";
import { emptyState, failureState, hintLine, noteLines, skeleton } from "./states.js";
import { table } from "./tables.js";

const POLL = 2000;
const MARGIN = 32;
const OTHERS = "others"; // the projects for which there is no row

export function createOverview(pane, { source, announce, names }) {
  let isDrawn = false;
  let waiting = null;

  async function show(isShown) {
    pane.hidden = !isShown;
    clearTimeout(waiting);
    if (!isShown) return;
    if (!isDrawn) fill(pane, skeleton(5));
    try {
      const [status, overview] = await Promise.all([source.status(), source.overview({})]);
      names(overview);
      draw(status, overview);
      // Redactions are counted while one waits, and a run of `aicx store` ends some time.
      const isChanging = status.rebuilding || status.redactions.by_kind === null;
      if (isChanging && !source.offline) waiting = setTimeout(() => show(!pane.hidden), POLL);
    } catch (error) {
      const again = () => show(true);
      fill(pane, failureState(error, again));
    }
  }

  function draw(status, overview) {
    isDrawn = true;
    if (!status.stats.chunks) {
      fill(pane, emptyState("Nothing is stored yet", hintLine("aicx store"), storeButton(status)));
      return;
    }
    const weeks = weeksOf(overview.weeks);
    const byAgent = amountsBy(overview.agent_weeks, "agent");
    const totals = new Map(overview.agents.map((row) => [row.agent, row.sessions]));
    const room = pane.clientWidth - MARGIN;
    fill(
      pane,
      el("h1", { class: "hidden" }, "Overview"),
      el("div", { class: "tiles" }, tiles(status), storeButton(status)),
      alarms(status.retention),
      panel("Sessions a week", weeklyBars(weeks, byAgent, { title: "Sessions a week by agent", room, totals })),
      panel("Projects", projects(overview, weeks)),
      // A file with a choice of sessions tells nothing of the rest.
      status.index && [
        el(
          "div",
          { class: "columns" },
          panel("Indexes", indexes(status.index)),
          panel("Redacted secrets", redactions(status.redactions)),
        ),
        panel("What agents delete", retention(status.retention)),
      ],
      noteLines([status.last_error && `The last store failed: ${status.last_error}`, ...status.assumptions]),
    );
  }

  function storeButton({ rebuilding }) {
    if (source.offline) return null;
    const label = rebuilding ? "Storing…" : "Store now";
    const button = el("button", { type: "button", disabled: rebuilding, click: start }, label);
    async function start() {
      button.disabled = true;
      try {
        await source.regenerate();
        announce("Storing what is new");
        show(true);
      } catch (error) {
        const again = () => show(true);
        button.after(failureState(error, again));
      }
    }
    return button;
  }

  return { show };
}

function panel(title, ...content) {
  return el("section", { class: "panel" }, el("h2", {}, title), content);
}

function tiles({ stats, redactions }) {
  const tile = (value, label, title = null) =>
    el("div", { class: "tile", title }, el("b", {}, value), el("span", {}, label));
  return [
    tile(count(stats.sessions), stats.sessions === 1 ? "session" : "sessions"),
    tile(count(stats.messages), "messages"),
    tile(count(stats.chunks), "parts", bytes(stats.bytes)),
    tile(count(stats.projects), stats.projects === 1 ? "project" : "projects"),
    tile(count(redactions.total), "secrets redacted"),
    tile(ago(stats.last), "newest message", exact(stats.last)),
  ];
}

// What an agent's clean-up is about to take; nothing where nothing is in danger.
function alarms(outlooks) {
  const alarm = (outlook) => {
    const isSoon = outlook.alarm === "critical";
    const logs = plural(isSoon ? outlook.unstored_urgent : outlook.unstored_soon, "log");
    const when = isSoon ? "within 24 hours" : "within 7 days";
    const said = `${logs} of ${outlook.agent} not stored yet will be deleted ${when}.`;
    return el(
      "div",
      { class: `alarm ${outlook.alarm}`, role: "alert" },
      el("strong", {}, said),
      hintLine("aicx store"),
    );
  };
  return outlooks.filter((outlook) => outlook.alarm).map(alarm);
}

function projects(overview, weeks) {
  const amounts = amountsBy(overview.weeks, "project");
  const spark = (name) => sparkline(weeks, amounts.get(name), `Sessions a week in ${projectName(name)}`);
  const named = overview.projects.filter(({ project }) => project !== OTHERS && amounts.has(project));
  const rows = named.map(({ project, sessions, chunks, first, last, latest }) => [
    el("a", { href: writeRoute({ ...NOTHING_ASKED, project }) }, projectName(project)),
    spark(project),
    sessions,
    chunks,
    el("span", { class: "when", title: `${day(first)} to ${day(last)}` }, ago(latest)),
  ]);
  if (amounts.has(OTHERS))
    rows.push([plural(overview.projects.length - named.length, "other"), spark(OTHERS), "", "", ""]);
  return table("Projects", ["Project", "Sessions a week", "Sessions", "Parts", "Last"], rows, {
    name: "projects",
    stacks: true,
  });
}

function indexes({ lexical, dense }) {
  const words = lexical.exists
    ? [freshness(lexical.behind), `, ${bytes(lexical.size)}`]
    : [dot("bad"), "missing: every part is read for each question"];
  const meaning = dense
    ? [freshness(dense.behind), `, ${count(dense.passages)} passages, ${dense.model ?? dense.embedder}`]
    : [dot("none"), "not made; questions are answered by words"];
  const rows = [
    ["By words", words],
    ["By meaning", meaning],
  ];
  return [
    table("Indexes", ["Index", "State"], rows, { name: "states", isHeadHidden: true }),
    !lexical.exists && hintLine("aicx store"),
    dense?.behind !== 0 && hintLine("aicx index"),
  ];
}

function freshness(behind) {
  if (behind === null) return [dot("bad"), "not known how far behind"];
  return behind ? [dot("bad"), `${plural(behind, "part")} behind`] : [dot("good"), "up to date"];
}

function dot(state) {
  return el("span", { class: `dot ${state}`, "aria-hidden": "true" });
}

function redactions({ total, by_kind: kinds }) {
  if (kinds === null) return el("p", { class: "note" }, `${count(total)}; being counted by kind…`);
  const pairs = Object.entries(kinds).sort((one, other) => other[1] - one[1]);
  if (!pairs.length) return el("p", { class: "note" }, "None: no text looked like a secret.");
  return rankedBars("Redacted secrets by kind", ["Kind", "Number", "Length"], pairs);
}

function retention(outlooks) {
  if (!outlooks.length) return el("p", { class: "note" }, "No agent's logs are on this machine.");
  const rows = outlooks.map((outlook) => [
    agentTag(outlook.agent),
    outlook.problem ?? outlook.says,
    outlook.logs,
    outlook.due_soon,
    outlook.unstored_soon,
  ]);
  const head = ["Agent", "Its clean-up", "Logs", "Due in 7 days", "Of these not stored"];
  return table("What agents delete", head, rows, { stacks: true });
}

// Name → week → sessions, the most active name first.
function amountsBy(rows, field) {
  const amounts = new Map();
  for (const row of rows) {
    const weeks = amounts.get(row[field]) ?? new Map();
    amounts.set(row[field], weeks.set(row.week, (weeks.get(row.week) ?? 0) + row.sessions));
  }
  const total = (weeks) => [...weeks.values()].reduce((one, other) => one + other, 0);
  return new Map([...amounts].sort((one, other) => total(other[1]) - total(one[1])));
}
