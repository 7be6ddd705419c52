// Plots drawn as SVG, each with a title, a description and the same figures as a table behind it.

import { el, svg } from "./dom.js";
import { count, day, plural } from "./format.js";

const WEEK = 7 * 86400e3;
const WIDEST = 992;
const HEIGHT = 150;
const WIDEST_BAR = 32;
const LEFT = 34;
const FOOT = 20;
const TICK = 48;
const SPARK = { width: 160, height: 22 };
const LEAST_WEEKS = 12;

// The Mondays from the first week with anything in it to the last, without a gap.
export function weeksOf(rows) {
  if (!rows.length) return [];
  const mondays = rows.map((row) => Date.parse(row.week));
  const last = Math.max(...mondays);
  const first = Math.min(Math.min(...mondays), last - (LEAST_WEEKS - 1) * WEEK);
  return Array.from({ length: Math.round((last - first) / WEEK) + 1 }, (_, at) => new Date(first + at * WEEK).toISOString().slice(0, 10));
}

// Sessions a week, one bar a week, one colour a name: `amounts` is name → week → number.
export function weeklyBars(weeks, amounts, { title, description, width: room }) {
  const width = Math.min(WIDEST, Math.max(280, room));
  const names = [...amounts.keys()];
  const totals = weeks.map((week) => names.reduce((sum, name) => sum + (amounts.get(name).get(week) ?? 0), 0));
  const top = niceTop(Math.max(1, ...totals));
  const step = (width - LEFT) / weeks.length;
  const thick = Math.min(WIDEST_BAR, Math.max(1, step - (step > 4 ? 2 : 0.5)));
  const y = (amount) => HEIGHT - (amount / top) * (HEIGHT - 8);
  const bars = weeks.map((week, at) => {
    let height = 0;
    const pieces = names.map((name) => {
      const amount = amounts.get(name).get(week) ?? 0;
      height += amount;
      return amount ? svg("rect", { class: "bar", "data-agent": name, x: LEFT + at * step + (step - thick) / 2, y: y(height), width: thick, height: y(height - amount) - y(height) }) : null;
    });
    const told = names.map((name) => [name, amounts.get(name).get(week)]).filter(([, amount]) => amount).map(([name, amount]) => `${name} ${amount}`).join(", ");
    return totals[at] ? svg("g", {}, svg("title", {}, `Week of ${day(week)}: ${told}`), svg("rect", { class: "reach", x: LEFT + at * step, y: 0, width: step, height: HEIGHT }), pieces) : null;
  });
  const lines = [0, top / 2, top].map((amount) => svg("g", { class: "grid" }, svg("line", { x1: LEFT, x2: width, y1: y(amount), y2: y(amount) }), svg("text", { x: LEFT - 6, y: y(amount) + 4, "text-anchor": "end" }, count(amount))));
  return el(
    "figure",
    { class: "plot" },
    svg("svg", { viewBox: `0 0 ${width} ${HEIGHT + FOOT}`, role: "img", "aria-label": `${title}. ${description}` }, svg("title", {}, title), svg("desc", {}, description), lines, bars, monthTicks(weeks, step, width)),
    el("figcaption", { class: "legend" }, names.map((name) => el("span", { class: "agent", "data-agent": name }, `${name} ${count(sum(amounts.get(name)))}`))),
    behind(title, ["Week of", ...names], weeks.map((week, at) => totals[at] && [day(week), ...names.map((name) => count(amounts.get(name).get(week) ?? 0))]).filter(Boolean)),
  );
}

// A small row of bars for a table's cell; the table around it has the totals.
export function sparkline(weeks, amounts, label) {
  const top = Math.max(1, ...amounts.values());
  const step = SPARK.width / Math.max(1, weeks.length);
  const bars = weeks.map((week, at) => {
    const amount = amounts.get(week) ?? 0;
    const height = amount ? Math.max(2, (amount / top) * SPARK.height) : 0;
    return height ? svg("rect", { class: "bar", x: at * step, y: SPARK.height - height, width: Math.max(1, step - 0.6), height }, svg("title", {}, `Week of ${day(week)}: ${plural(amount, "session")}`)) : null;
  });
  const base = svg("line", { class: "base", x1: 0, x2: SPARK.width, y1: SPARK.height, y2: SPARK.height });
  return svg("svg", { class: "spark", viewBox: `0 0 ${SPARK.width} ${SPARK.height + 1}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, base, bars);
}

// Names and numbers as bars beside each other: a table that can be seen.
export function rankedBars(pairs, { head, title }) {
  const top = Math.max(1, ...pairs.map(([, amount]) => amount));
  const row = ([name, amount]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, count(amount)), el("td", { class: "length" }, svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { class: "bar", width: (100 * amount) / top, height: 8 }))));
  return el("table", { class: "bars" }, el("caption", { class: "hidden" }, title), el("thead", { class: "hidden" }, el("tr", {}, head.map((text) => el("th", {}, text)))), el("tbody", {}, pairs.map(row)));
}

export function behind(title, head, rows) {
  const cells = (row, tag) => el("tr", {}, row.map((text) => el(tag, {}, text)));
  return el("details", { class: "table" }, el("summary", {}, "As a table"), el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("caption", { class: "hidden" }, title), el("thead", {}, cells(head, "th")), el("tbody", {}, rows.map((row) => cells(row, "td"))))));
}

function monthTicks(weeks, step, width) {
  const months = weeks.map((week) => week.slice(0, 7));
  const starts = months.map((month, at) => [month, at]).filter(([month, at]) => month !== months[at - 1]);
  const every = Math.ceil(starts.length / (width / TICK));
  return starts.filter((_, at) => at % every === 0).map(([month, at]) => svg("text", { class: "tick", x: LEFT + at * step + 2, y: HEIGHT + 15 }, monthName(month)));
}

function monthName(month) {
  const [year, number] = month.split("-");
  const name = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" }).format(new Date(`${month}-01T00:00:00Z`));
  return number === "01" ? year : name;
}

function niceTop(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  const steps = [1, 2, 4, 6, 8, 10].map((step) => step * power);
  return Math.max(2, steps.find((step) => step >= most));
}

function sum(amounts) {
  return [...amounts.values()].reduce((one, other) => one + other, 0);
}
