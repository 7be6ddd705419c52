// Timelines drawn as SVG: the moments of a session on one axis, and the sessions of a repository by branch with its merges
// and releases. Each has the same as a table behind it, whose links the keyboard reaches.

import { el, fill, svg } from "./dom.js";
import { refLink, toSession } from "./evidence.js";
import { clock, count, day, dayOfYear, exact, plainTitle, plural } from "./format.js";
import { failureState } from "./states.js";
import { table } from "./tables.js";

const [ROW, FOOT, BAR] = [26, 22, 9];
const REST = 15 * 60e3; // a longer rest takes no more room than this
const [LEAST_BETWEEN, WITH_DAY] = [74, 96]; // pixels between two labels of the axis
const MOST_BRANCHES = 12;
const MOST_ROWS = 300;
// A timeline is drawn for the room it has, so that its text keeps its size.
const [NARROWEST, WIDEST] = [300, 1040];
const [SMALL, LARGE] = [{ left: 92, letters: 12 }, { left: 136, letters: 18 }];
const BRANCHES = { left: 220, letters: 32 }; // in place of LARGE, where the rows have the names of branches
const KINDS = { asked: "Asked", edited: "Files", failed: "Failures", committed: "Commits" };
const SAID = { asked: "asked", edited: "edited", failed: "failed", committed: "committed", merge: "merge", release: "release" };
const OTHERS = "other branches";

// A fold that asks for its timeline when it is opened first.
export function timelineFold(title, load, draw) {
  const body = el("div", { class: "timeline" });
  const fold = el("details", { class: "panel fold" }, el("summary", {}, el("h2", {}, title)), body);
  let asked = false;
  async function ask() {
    asked = true;
    try {
      fill(body, draw(await load(), roomIn(body.clientWidth)));
    } catch (error) {
      fill(body, failureState(error, ask));
    }
  }
  fold.addEventListener("toggle", () => fold.open && !asked && ask());
  return fold;
}

function roomIn(pixels) {
  const width = Math.min(WIDEST, Math.max(NARROWEST, pixels));
  return { width, ...(width < 600 ? SMALL : LARGE) };
}

export function drawSession({ began, ended, marks, cut }, room) {
  const times = [began, ended, ...marks.map(({ at }) => at)].map(Date.parse);
  const isOneDay = day(began) === day(ended);
  const when = (at) => (isOneDay ? clock(at) : `${dayOfYear(at)} ${clock(at)}`);
  const { x, breaks, ends } = withoutRests([...new Set(times)].sort((one, other) => one - other), room);
  const kinds = Object.keys(KINDS);
  const top = (kind) => kinds.indexOf(kind) * ROW;
  const height = kinds.length * ROW;
  const picture = frame(
    `What happened when, from ${day(began)} ${clock(began)} to ${day(ended)} ${clock(ended)}`,
    room,
    height,
    kinds.map((kind) => rowOf(`${KINDS[kind]} ${count(marks.filter((mark) => mark.kind === kind).length)}`, top(kind), room)),
    breaks.map((at) => svg("line", { class: "rest", x1: at, x2: at, y1: 0, y2: height })),
    marks.map((mark) =>
      svg(
        "rect",
        { class: `mark ${mark.kind}`, x: x(Date.parse(mark.at)) - 1.5, y: top(mark.kind) + 5, width: 3, height: ROW - 10, rx: 1, click: () => follow(mark.ref) },
        svg("title", {}, `${when(mark.at)} ${SAID[mark.kind]}: ${mark.label}`),
      ),
    ),
    axis(ends.map((at) => [x(at), when(at), exact(at)]), height, room, isOneDay ? LEAST_BETWEEN : WITH_DAY),
  );
  const rows = marks.slice(0, MOST_ROWS).map((mark) => [when(mark.at), SAID[mark.kind], mark.label, refLink(mark.ref)]);
  return figure(picture, "Moments of the session", ["At", "What", "Which", "Part"], rows, marks.length - rows.length + cut);
}

export function drawRepository({ repository, spans, marks, sessions_total: total, notes }, given) {
  if (!spans.length && !marks.length) return el("p", { class: "how" }, "No session of it is stored, and git knows no merge or release.");
  const room = { ...given, ...(given.left === LARGE.left && BRANCHES) };
  const names = branchesOf(spans);
  // What was long before the first session would leave no room for the sessions.
  const first = Math.min(...(spans.length ? spans : marks).map((one) => Date.parse(one.began ?? one.at)));
  const last = Math.max(...spans.map(({ ended }) => Date.parse(ended)), ...marks.map(({ at }) => Date.parse(at)));
  const x = (at) => room.left + ((Date.parse(at) - first) / Math.max(1, last - first)) * (room.width - room.left - 8);
  const rows = [...names, "merges", "releases"];
  const top = (name) => rows.indexOf(name) * ROW;
  const height = rows.length * ROW;
  const within = marks.filter(({ at }) => Date.parse(at) >= first);
  const releases = within.filter(({ kind }) => kind === "release");
  const merges = within.filter(({ kind }) => kind === "merge");
  const bar = (span) => {
    const from = x(span.began);
    const place = { x: from, y: top(rowFor(span, names)) + (ROW - BAR) / 2, width: Math.max(3, x(span.ended) - from), height: BAR, rx: 2 };
    const go = () => (location.hash = toSession(span.session));
    return svg("rect", { class: "span", ...place, click: go }, svg("title", {}, `${day(span.began)} ${clock(span.began)}: ${plainTitle(span.title)}`));
  };
  const flag = (mark) =>
    svg(
      "g",
      { class: "release", click: () => follow(mark.ref, repository) },
      svg("title", {}, `${day(mark.at)}: ${mark.label}`),
      svg("line", { x1: x(mark.at), x2: x(mark.at), y1: 0, y2: height }),
      svg("circle", { cx: x(mark.at), cy: top("releases") + ROW / 2, r: 4 }),
    );
  const merge = (mark) =>
    svg("rect", { class: "mark merge", x: x(mark.at) - 1.5, y: top("merges") + 5, width: 3, height: ROW - 10, click: () => follow(mark.ref, repository) }, svg("title", {}, `${day(mark.at)}: ${mark.label}`));
  const ticks = Array.from({ length: 7 }, (_, at) => new Date(first + ((last - first) * at) / 6).toISOString());
  const picture = frame(
    `Sessions by branch with merges and releases, from ${day(first)} to ${day(last)}`,
    room,
    height,
    names.map((name) => rowOf(name, top(name), room)),
    rowOf(`merges ${count(merges.length)}`, top("merges"), room),
    rowOf(`releases ${count(releases.length)}`, top("releases"), room),
    releases.map(flag),
    spans.map(bar),
    merges.map(merge),
    axis(ticks.map((at) => [x(at), dayOfYear(at), exact(at)]), height, room),
  );
  const moments = [
    ...spans.map((span) => [span.began, "session", plainTitle(span.title), el("a", { href: toSession(span.session) }, "session")]),
    ...marks.map((mark) => [mark.at, SAID[mark.kind], mark.label, refLink(mark.ref, repository)]),
  ].sort(([one], [other]) => (one < other ? 1 : -1));
  const cells = moments.slice(0, MOST_ROWS).map(([at, ...rest]) => [`${day(at)} ${clock(at)}`, ...rest]);
  return [
    notes.map((note) => el("p", { class: "how" }, note)),
    figure(picture, "Sessions, merges and releases", ["When", "What", "Which", "Where"], cells, moments.length - cells.length + total - spans.length),
  ];
}

// Long rests are cut short: `x` of an instant, where the cuts are, and the instants between which there was none.
function withoutRests(times, { left, width }) {
  const sums = new Map([[times[0], 0]]);
  const [cuts, ends] = [[], [times[0]]];
  for (let at = 1, sum = 0; at < times.length; at += 1) {
    const gap = times[at] - times[at - 1];
    sum += Math.min(gap, REST);
    sums.set(times[at], sum);
    if (gap > REST) {
      cuts.push(sum - REST / 2);
      ends.push(times[at]);
    }
  }
  ends.push(times.at(-1));
  const all = Math.max(1, sums.get(times.at(-1)));
  const place = (sum) => left + (sum / all) * (width - left - 8);
  return { x: (at) => place(sums.get(at)), breaks: cuts.map(place), ends: [...new Set(ends)] };
}

// The branches last worked on; the others are one.
function branchesOf(spans) {
  const names = [...new Set(spans.map(({ branch }) => branch ?? "no branch"))];
  return names.length > MOST_BRANCHES ? [...names.slice(0, MOST_BRANCHES - 1), OTHERS] : names;
}

function rowFor({ branch }, names) {
  const name = branch ?? "no branch";
  return names.includes(name) ? name : OTHERS;
}

function frame(label, { width }, height, ...content) {
  return svg("svg", { viewBox: `0 0 ${width} ${height + FOOT}`, role: "img", "aria-label": `${label}. The table behind it has the same.` }, svg("title", {}, label), content);
}

function rowOf(name, y, { left, letters, width }) {
  const short = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
  return svg(
    "g",
    { class: "grid" },
    svg("line", { x1: left, x2: width, y1: y + ROW, y2: y + ROW }),
    svg("text", { x: 0, y: y + ROW / 2 + 4 }, short, svg("title", {}, name)),
  );
}

// Labels that would touch the one before are left out.
function axis(labels, y, { width }, between = LEAST_BETWEEN) {
  let free = -Infinity;
  return labels.map(([x, text, whole]) => {
    const at = Math.min(x, width - between / 2 - 4);
    if (at < free) return null;
    free = at + between;
    return svg("text", { x: at, y: y + 16 }, text, svg("title", {}, whole));
  });
}

function figure(picture, title, head, rows, left) {
  return el(
    "figure",
    { class: "plot" },
    picture,
    el(
      "details",
      { class: "table" },
      el("summary", {}, "As a table"),
      table(title, head, rows),
      left > 0 && el("p", { class: "how" }, `${plural(left, "row")} more`),
    ),
  );
}

function follow(ref, project) {
  location.hash = refLink(ref, project).getAttribute("href") ?? location.hash;
}
