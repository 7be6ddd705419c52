// What is agreed, what waits for a person with its evidence open beside it, conflicts, and what went stale with the
// lines that changed. What a person said is quoted with who said it and when. The page decides nothing: it has the command of
// the one decision to take, to be copied.

import { copyButton } from "./copy.js";
import { el, fill } from "./dom.js";
import { refLink } from "./evidence.js";
import { count, day, plural } from "./format.js";
import { emptyState, failureState, hintLine, noteLines, skeleton } from "./states.js";

const PART = 20;
const OPEN = 3; // of what a record rests on; the rest is folded
const BY = '--by "YOUR NAME"';
// Decisions as commands; the first that is offered is the one to take.
const COMMANDS = {
  accept: ["Accept", (ref) => `aicx memory accept ${ref} ${BY}`],
  reject: ["Reject", (ref) => `aicx memory reject ${ref} ${BY}`],
  pin: ["Pin", (ref) => `aicx memory decide pin ${ref} ${BY}`],
  unpin: ["Unpin", (ref) => `aicx memory decide unpin ${ref} ${BY}`],
  validate: ["It still holds", (ref) => `aicx memory decide validate ${ref} --result pass ${BY}`],
  replace: ["Replace", (ref) => `aicx memory supersede ${ref} --with mem:… ${BY}`],
};
const SPEAKERS = {
  human: "A person",
  instruction_file: "An instruction file",
  tool_output: "A tool",
  assistant: "An agent",
  subagent: "A subagent",
  import: "Imported",
};

export function createMemory(pane, { source, go, announce }) {
  const project = el("select", { "aria-label": "Whose memory", change: () => go({ view: "memory", project: project.value }) });
  const body = el("div", { class: "memos-body" });
  fill(pane, el("h1", { class: "hidden" }, "Memory"), el("div", { class: "row" }, project), body);
  let page = null;
  let wanted = null;
  let limit = PART;
  let running = null;

  function show(route) {
    pane.hidden = route.view !== "memory";
    if (pane.hidden) return;
    if (page && wanted === route.project) return;
    wanted = route.project;
    limit = PART;
    fill(body, skeleton(4));
    load();
  }

  async function load() {
    running?.abort();
    running = new AbortController();
    try {
      page = await source.memory({ project: wanted, limit }, running.signal);
      draw();
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(body, failureState(error, load));
      announce(error.message);
    }
  }

  function draw() {
    fill(
      project,
      !page.repositories.length && el("option", { value: "" }, "everywhere"),
      page.repositories.map(({ name, records }) => el("option", { value: name }, `${name} (${count(records)})`)),
    );
    if (page.repository && ![...project.options].some(({ value }) => value === page.repository))
      project.append(el("option", { value: page.repository }, page.repository));
    project.value = page.repository ?? "";
    const total = Object.values(page.counts).reduce((sum, one) => sum + one, 0);
    if (!total) return fill(body, nothing());
    const parts = [
      page.agreed.length && `${count(page.agreed.length)} agreed`,
      page.waiting_total && `${count(page.waiting_total)} waiting`,
      page.conflicts.length && plural(page.conflicts.length, "conflict"),
      page.stale.length && `${count(page.stale.length)} stale`,
    ];
    const said = parts.filter(Boolean).join(", ") || "Nothing to decide";
    fill(
      body,
      el("p", { class: "verdict" }, el("strong", {}, said)),
      noteLines(page.notes),
      section("Waiting for a decision", page.waiting.map((card) => memo(card, ["accept", "reject", "pin"], proofs)), more()),
      section("In conflict", page.conflicts.map(conflict)),
      section("Went stale", page.stale.map((card) => memo(card, ["validate", "reject"], changes))),
      agreed(),
      section("Kept apart", page.apart.map((card) => memo(card, [])), hintLine("aicx memory decide release REF --by NAME")),
    );
    announce(said);
  }

  function more() {
    if (page.waiting.length >= page.waiting_total) return null;
    const next = () => {
      limit = Math.min(100, limit + PART);
      load();
    };
    const left = page.waiting_total - page.waiting.length;
    if (limit >= 100) return el("p", { class: "more" }, `${count(left)} more after these`);
    return el("p", { class: "more" }, el("button", { type: "button", click: next }, `${count(left)} more`));
  }

  function agreed() {
    const topics = Map.groupBy(page.agreed, (card) => card.entry.topic);
    return section(
      "Agreed",
      [...topics].map(([topic, cards]) =>
        el(
          "li",
          { class: "topic" },
          el("h3", {}, topic),
          el("ul", { class: "memos", role: "list" }, cards.map((card) => memo(card, [card.entry.pinned ? "unpin" : "pin", "replace", "reject"]))),
        ),
      ),
    );
  }

  // Either takes the other's place.
  function conflict(pair) {
    const keep = (kept, other) => ["Keep this", `aicx memory supersede ${other.entry.ref} --with ${kept.entry.ref} ${BY}`];
    return el("li", { class: "pair" }, pair.map((card, at) => memo(card, ["reject"], proofs, "div", keep(card, pair[1 - at]))));
  }

  function memo(card, offered, beside = null, name = "li", ...first) {
    const { entry } = card;
    const decisions = [...first, ...offered.map((action) => [COMMANDS[action][0], COMMANDS[action][1](entry.ref)])];
    return el(
      name,
      { class: "memo", tabindex: "0", "data-ref": entry.ref },
      el(
        "div",
        { class: "said" },
        el(
          "figure",
          {},
          el("blockquote", { class: "statement" }, entry.statement === null ? "(not shown)" : `“${entry.statement}”`),
          el("figcaption", { class: "facts" }, speaker(card), el("time", { datetime: entry.source.at }, day(entry.source.at))),
        ),
        card.details.length > 0 && el("ul", { class: "details" }, card.details.map((line) => el("li", {}, line))),
        Object.entries(card.claims).map(([key, value]) => el("p", { class: "claim" }, el("code", {}, `${key} = ${value}`))),
        el("p", { class: "because" }, card.because.join("; ")),
        decide(decisions),
        el("p", { class: "facts" }, facts(card)),
      ),
      beside && el("div", { class: "beside" }, beside(card)),
    );
  }

  const rows = () => [...body.querySelectorAll(".memo")];
  return { show, rows };
}

function speaker({ entry, decided_by }) {
  const said = SPEAKERS[entry.source.class] ?? entry.source.class.replaceAll("_", " ");
  return [el("b", {}, said), decided_by && el("span", {}, `accepted by ${decided_by}`)];
}

// The one decision to take, and below it the others.
function decide([one, ...others]) {
  if (!one) return null;
  const line = ([name, command]) =>
    el("p", { class: "command" }, el("b", {}, name), el("code", {}, command), copyButton(command, `Copy the command: ${name}`));
  return el(
    "div",
    { class: "decide" },
    line(one),
    others.length > 0 && el("details", { class: "table" }, el("summary", {}, "Decide otherwise"), others.map(line)),
  );
}

function section(title, items, ...rest) {
  if (!items.length) return null;
  return el("section", { class: "panel" }, el("h2", {}, title), el("ul", { class: "memos", role: "list" }, items), rest);
}

// Steps of a review that other commands took; what is pending or decided says so by its section.
const REVIEWS = { approved: "approved", "manual-apply-pending": "its patch waits to be applied" };

function facts({ entry, decided_by, review, surface }) {
  return [
    el("code", {}, entry.ref),
    el("span", {}, entry.kind),
    entry.topic && el("span", {}, entry.topic),
    entry.name && el("span", {}, entry.name),
    el("span", {}, `tier ${entry.tier}`),
    entry.pinned && el("span", { class: "pinned" }, "pinned"),
    entry.sightings > 1 && el("span", {}, plural(entry.sightings, "sighting")),
    entry.source.lane === "subagent" && el("span", { class: "note" }, "only subagents said it"),
    REVIEWS[review] && el("span", {}, REVIEWS[review]),
    !decided_by && surface === "instructions" && el("span", { class: "note" }, "reads like an instruction"),
  ];
}

function proofs({ proofs: all }) {
  if (!all.length) return el("p", { class: "how" }, "It rests on nothing that could be looked at.");
  const folded = all.slice(OPEN);
  return [
    all.slice(0, OPEN).map(proof),
    folded.length > 0 && el("details", { class: "table" }, el("summary", {}, `${count(folded.length)} more`), folded.map(proof)),
  ];
}

function proof({ ref, lines }) {
  // It is scrolled where it is long, with the keyboard too.
  return el("figure", { class: "proof" }, el("figcaption", {}, refLink(ref)), lines.length > 0 && el("pre", { tabindex: "0" }, lines.join("\n")));
}

// Which lines of which file changed; what else it rests on follows.
function changes(card) {
  const shown = card.changes.filter(({ state }) => state !== "current");
  const files = shown.map((change) =>
    el(
      "figure",
      { class: "proof" },
      el("figcaption", {}, el("code", {}, place(change)), ` ${became(change)}`),
      change.diff.length > 0 &&
        el(
          "div",
          { class: "diff", role: "table", "aria-label": `Lines of ${change.path}` },
          change.diff.map(({ sign, number, text }) =>
            el("div", { role: "row", "data-sign": sign }, el("span", { role: "cell" }, `${sign}${number}`), el("code", { role: "cell" }, text)),
          ),
        ),
      change.more > 0 && el("p", { class: "how" }, `${count(change.more)} more lines changed`),
    ),
  );
  const anchored = new Set(shown.map(place));
  const rest = card.proofs.filter(({ ref }) => !anchored.has(ref));
  return files.length ? [files, rest.length > 0 && proofs({ proofs: rest })] : proofs(card);
}

function place({ path, lines }) {
  return lines ? `${path}#L${lines[0]}-L${lines[1]}` : path;
}

function became({ state, now, known, diff }) {
  if (state === "moved") return `was renamed to ${now}`;
  if (state === "missing") return "is gone";
  if (state === "changed") return known ? `changed: ${plural(diff.length, "line")}` : "changed; git does not have what it was";
  return { relocated: "is elsewhere in the file", unchecked: "is not at hand", unreadable: "cannot be read" }[state] ?? state;
}

function nothing() {
  return emptyState(
    "Nothing is remembered yet",
    el("p", {}, "State something, or look at what the stored sessions propose."),
    el("p", { class: "command" }, el("code", {}, "aicx memory put STATEMENT"), el("code", {}, "aicx memory candidates backfill")),
  );
}
