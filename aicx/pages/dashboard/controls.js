// The question's form: the box, the modes, the filters. It shows a route and tells of every change; it asks nothing.

import { el, fill } from "./dom.js";
import { count, projectName } from "./format.js";
import { filtersOf, NOTHING_ASKED, withoutFilters } from "./route.js";

const MODES = [
  ["auto", "Auto", "By words, and by meaning where there is an index for it"],
  ["lexical", "Words", "By words alone"],
  ["dense", "Meaning", "By meaning alone; needs aicx index"],
  ["hybrid", "Both", "By words and meaning; needs aicx index"],
];
const TIMES = [
  ["", "any time"],
  ["24h", "last 24 hours"],
  ["7d", "last 7 days"],
  ["30d", "last 30 days"],
  ["90d", "last 90 days"],
  ["365d", "last year"],
];
const KINDS = ["conversations", "plans", "reports", "other"];
const SORTS = [
  ["relevance", "best first"],
  ["recent", "best first, recent preferred"],
  ["newest", "newest first"],
  ["oldest", "oldest first"],
];
const BETWEEN = "between";

export function createControls(box, form, { about, change }) {
  const modes = MODES.map(([value, label, title]) => {
    const input = el("input", { type: "radio", name: "mode", value, change: () => change({ mode: value }) });
    return { input, label: el("label", { title }, input, el("span", {}, label)) };
  });
  const project = chooser("Project", "project");
  const agent = chooser("Agent", "agent");
  const kind = chooser("Kind", "kind", [["", "any kind"], ...KINDS.map((value) => [value, value])]);
  const sort = chooser("Order", "sort", SORTS);
  const time = el("select", { "aria-label": "Time", change: chooseTime });
  const since = el("input", { type: "date", "aria-label": "From", change: () => change({ since: since.value }) });
  const until = el("input", { type: "date", "aria-label": "To", change: () => change({ until: until.value }) });
  const dates = el("span", { class: "dates", hidden: true }, since, el("span", { "aria-hidden": "true" }, "–"), until);
  const grouped = el("input", { type: "checkbox", change: () => change({ group: grouped.checked ? "" : "chunk" }) });
  const team = el("input", { type: "checkbox", change: () => change({ team: team.checked ? "true" : "" }) });
  const clear = el("button", { type: "button", class: "quiet", click: clearFilters }, "Clear filters");
  const modeField = el(
    "fieldset",
    { class: "segments" },
    el("legend", { class: "hidden" }, "Search by"),
    modes.map(({ label }) => label),
  );
  const groupField = el("label", { class: "check" }, grouped, "one per session");
  const teamField = el("label", { class: "check", title: "Also ask the share that this home is part of" }, team, "and the team");
  let isMember = false;
  const hasRoom = matchMedia("(min-width: 48rem)");
  const more = el(
    "details",
    { class: "filters", open: hasRoom.matches },
    el("summary", {}, "Filters"),
    el("div", { class: "row" }, project, agent, kind, time, dates, clear, groupField, teamField, sort),
  );
  fill(
    form,
    about ? el("p", { class: "about" }, about) : modeField,
    more,
  );
  hasRoom.addEventListener("change", () => (more.open = hasRoom.matches));
  box.addEventListener("input", () => change({ q: box.value }, { typing: true }));
  options(time, [...TIMES, [BETWEEN, "between…"]]);
  let wantsDates = false;

  function chooser(label, name, pairs = []) {
    const select = el("select", { "aria-label": label, name, change: () => change({ [name]: select.value }) });
    options(select, pairs);
    return select;
  }

  function chooseTime() {
    wantsDates = time.value === BETWEEN;
    dates.hidden = !wantsDates;
    if (wantsDates) since.focus();
    else change({ since: time.value, until: "" });
  }

  function clearFilters() {
    wantsDates = false;
    change(withoutFilters());
  }

  function show(route) {
    if (box.value !== route.q) box.value = route.q;
    for (const { input } of modes) input.checked = input.value === route.mode;
    for (const select of [project, agent, kind, sort]) choose(select, route[select.name]);
    const isBetween = wantsDates || Boolean(route.until) || isDay(route.since);
    choose(time, isBetween ? BETWEEN : route.since);
    dates.hidden = !isBetween;
    if (isBetween) [since.value, until.value] = [route.since, route.until];
    grouped.checked = route.group !== "chunk";
    team.checked = route.team === "true";
    // Without a question there is nothing to order by but time, and sessions are listed anyway.
    groupField.hidden = sort.hidden = !route.q.trim();
    teamField.hidden = groupField.hidden || !isMember;
    const set = Object.keys(filtersOf(route)).length;
    clear.hidden = !set;
    more.querySelector("summary").textContent = set ? `Filters (${set})` : "Filters";
  }

  // The names to choose from come later than the page.
  function offer({ projects, agents, member }, route) {
    isMember = Boolean(member);
    options(project, [
      ["", "all projects"],
      ...projects.map((item) => [item.project, `${projectName(item.project)} (${count(item.sessions)})`]),
    ]);
    options(agent, [
      ["", "all agents"],
      ...agents.map((item) => [item.agent, `${item.agent} (${count(item.sessions)})`]),
    ]);
    show(route);
  }

  offer({ projects: [], agents: [] }, NOTHING_ASKED);
  return { show, offer };
}

function options(select, pairs) {
  fill(
    select,
    pairs.map(([value, label]) => el("option", { value }, label)),
  );
}

function isDay(text) {
  return /^\d{4}-\d\d-\d\d$/.test(text);
}

// A link may name what this store does not have (yet).
function choose(select, value) {
  if (![...select.options].some((option) => option.value === value))
    select.append(el("option", { value }, projectName(value)));
  select.value = value;
}
