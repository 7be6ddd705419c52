// Plots drawn as SVG, each with a title, a description and the same figures as a table behind it.

import { el, svg } from "./dom.js";
import { count, day, plural } from "./format.js";
import { table } from "./tables.js";

const WEEK = 7 * 86400e3;
const LEAST_WEEKS = 12;
// In pixels: a plot is drawn for the room it has, so that its text keeps its size.
const [NARROWEST, WIDEST, HEIGHT] = [280, 992, 150];
const [LEFT, TOP, FOOT] = [34, 8, 20]; // room for the scale, the highest line, the months
const [WIDEST_BAR, MONTH] = [32, 48];
const SPARK = { width: 160, height: 22 };

// The Mondays from the first week with anything in it to the last, without a gap.
export function weeksOf(rows) {
  if (!rows.length) return [];
  const mondays = rows.map((row) => Date.parse(row.week));
  const last = Math.max(...mondays);
  const first = Math.min(...mondays, last - (LEAST_WEEKS - 1) * WEEK);
  const weeks = Math.round((last - first) / WEEK) + 1;
  return Array.from({ length: weeks }, (_, at) => new Date(first + at * WEEK).toISOString().slice(0, 10));
}

// Sessions a week, one colour a name: `amounts` is name → week → number, `room` the width there is.
export function weeklyBars(weeks, amounts, { title, room, totals: all }) {
  const names = [...amounts.keys()];
  const amount = (name, week) => amounts.get(name).get(week) ?? 0;
  const totals = weeks.map((week) => sum(names.map((name) => amount(name, week))));
  const top = roundedUp(Math.max(2, ...totals));
  const width = Math.min(WIDEST, Math.max(NARROWEST, room));
  const step = (width - LEFT) / weeks.length;
  const y = (number) => HEIGHT - (number / top) * (HEIGHT - TOP);

  const drawWeek = (week, at) => {
    const parts = names.map((name) => ({ name, number: amount(name, week) })).filter(({ number }) => number);
    const told = parts.map(({ name, number }) => `${name} ${number}`).join(", ");
    const room = { x: LEFT + at * step, y: 0, width: step, height: HEIGHT };
    return parts.length
      ? svg(
          "g",
          {},
          svg("title", {}, `Week of ${day(week)}: ${told}`),
          svg("rect", { class: "reach", ...room }),
          stack(parts, room, y),
        )
      : null;
  };
  const drawLine = (number) =>
    svg(
      "g",
      { class: "grid" },
      svg("line", { x1: LEFT, x2: width, y1: y(number), y2: y(number) }),
      svg("text", { x: LEFT - 6, y: y(number) + 4, "text-anchor": "end" }, count(number)),
    );
  const description = `From ${day(weeks[0])} to ${day(weeks.at(-1))}. The table behind it has the numbers.`;
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT + FOOT}`, role: "img", "aria-label": `${title}. ${description}` },
    svg("title", {}, title),
    svg("desc", {}, description),
    [0, top / 2, top].map(drawLine),
    weeks.map(drawWeek),
    months(weeks, step, width),
  );
  const legend = names.map((name) => {
    // A session of several weeks is one session.
    return el("span", { class: "agent", "data-agent": name }, `${name} ${count(all.get(name))}`);
  });
  const rows = weeks
    .filter((_, at) => totals[at])
    .map((week) => [day(week), ...names.map((name) => amount(name, week))]);
  const figures = table(title, ["Week of", ...names], rows);
  return el(
    "figure",
    { class: "plot" },
    picture,
    el("figcaption", { class: "legend" }, legend),
    el("details", { class: "table" }, el("summary", {}, "As a table"), figures),
  );
}

// A small row of bars for a table's cell; the table around it has the totals.
export function sparkline(weeks, amounts, label) {
  const { width, height } = SPARK;
  const top = Math.max(1, ...amounts.values());
  const step = width / Math.max(1, weeks.length);
  const bar = (week, at) => {
    const number = amounts.get(week);
    if (!number) return null;
    const tall = Math.max(2, (number / top) * height);
    const place = { x: at * step, y: height - tall, width: Math.max(1, step - 0.6), height: tall };
    return svg(
      "rect",
      { class: "bar", ...place },
      svg("title", {}, `Week of ${day(week)}: ${plural(number, "session")}`),
    );
  };
  return svg(
    "svg",
    {
      class: "spark",
      viewBox: `0 0 ${width} ${height + 1}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label,
    },
    svg("line", { class: "base", x1: 0, x2: width, y1: height, y2: height }),
    weeks.map(bar),
  );
}

// Names and numbers as bars beside each other: a table that can be seen.
export function rankedBars(title, head, pairs) {
  const top = Math.max(1, ...pairs.map(([, number]) => number));
  const bar = (number) =>
    svg(
      "svg",
      { class: "length", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "bar", width: (100 * number) / top, height: 8 }),
    );
  const rows = pairs.map(([name, number]) => [name, number, bar(number)]);
  return table(title, head, rows, { name: "bars", isHeadHidden: true });
}

// The parts of one week on top of each other, in the middle of its room.
function stack(parts, { x, width: step }, y) {
  const width = Math.min(WIDEST_BAR, Math.max(1, step - (step > 4 ? 2 : 0.5)));
  let below = 0;
  return parts.map(({ name, number }) => {
    const place = { x: x + (step - width) / 2, y: y(below + number), width, height: y(below) - y(below + number) };
    below += number;
    return svg("rect", { class: "bar", "data-agent": name, ...place });
  });
}

function months(weeks, step, width) {
  const starts = weeks
    .map((week, at) => ({ month: week.slice(0, 7), at }))
    .filter(({ month, at }) => month !== weeks[at - 1]?.slice(0, 7));
  const every = Math.ceil(starts.length / (width / MONTH));
  return starts
    .filter((_, at) => at % every === 0)
    .map(({ month, at }) => svg("text", { x: LEFT + at * step + 2, y: HEIGHT + 15 }, monthName(month)));
}

function monthName(month) {
  const [year, number] = month.split("-");
  const named = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });
  return number === "01" ? year : named.format(new Date(`${month}-01T00:00:00Z`));
}

// The next number whose half is a number one likes to read.
function roundedUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= number);
}

function sum(numbers) {
  return numbers.reduce((one, other) => one + other, 0);
}
