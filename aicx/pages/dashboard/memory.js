// What is agreed, what waits for a person with its evidence open beside it, conflicts, and what went stale with the
// lines that changed. Every decision is sent with the name of the person and the revision that was shown.

import { createDecider } from "./decider.js";
import { el, fill } from "./dom.js";
import { count, day, plural } from "./format.js";
import { emptyState, failureState, hintLine, noteLines, skeleton } from "./states.js";
import { toChunk } from "./why.js";

const PART = 20;
const OPEN = 3; // of what a record rests on; the rest is folded
const ACTIONS = {
  accept: ["Accept", "a"],
  instead: ["Accept in place of…", "s"],
  reject: ["Reject", "x"],
  pin: ["Pin", "i"],
  unpin: ["Unpin", "i"],
  replace: ["Replace…", "s"],
  validate: ["Still holds", "v"],
};

export function createMemory(pane, { source, go, announce }) {
  const project = el("select", { "aria-label": "Whose memory", change: () => go({ view: "memory", project: project.value }) });
  const decider = createDecider(pane, { send: source.decide, decided, announce });
  const body = el("div", { class: "memos-body" });
  fill(pane, el("h1", { class: "hidden" }, "Memory"), el("div", { class: "row" }, project, decider.name), body);
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

  // A decision changes more than one record: the page is read again, and the focus stays where it was.
  async function decided(at) {
    await load();
    const all = rows();
    (all[Math.min(at, all.length - 1)] ?? project).focus();
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
    const said = [
      `${count(page.agreed.length)} agreed`,
      `${count(page.waiting_total)} waiting`,
      plural(page.conflicts.length, "conflict"),
      `${count(page.stale.length)} stale`,
    ].join(", ");
    fill(
      body,
      el("p", { class: "verdict" }, el("strong", {}, said)),
      noteLines(page.notes),
      section("Waiting for a decision", page.waiting.map((card) => memo(card, ["accept", "instead", "reject", "pin"], proofs)), more()),
      section("In conflict", page.conflicts.map(conflict)),
      section("Went stale", page.stale.map((card) => memo(card, ["validate", "reject"], changes))),
      agreed(),
      section("Kept apart", page.apart.map((card) => memo(card, [])), hintLine("aicx memory release REF --by NAME")),
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
    const keep = (kept, other) => () => decider.ask({ action: "supersede", card: other, other: kept, at: 0, project: page.repository });
    return el(
      "li",
      { class: "pair" },
      pair.map((card, at) =>
        memo(card, ["reject"], proofs, "div", el("button", { type: "button", click: keep(card, pair[1 - at]) }, "Keep this")),
      ),
    );
  }

  function memo(card, offered, beside = null, name = "li", ...buttons) {
    const { entry } = card;
    const others = page.agreed.some((one) => one.entry.ref !== entry.ref);
    const actions = offered.filter((action) => others || !["instead", "replace"].includes(action));
    const own = { class: "memo", tabindex: "0", "data-ref": entry.ref, "data-actions": actions.join(" ") };
    const node = el(
      name,
      own,
      el(
        "div",
        { class: "said" },
        el("p", { class: "statement" }, entry.statement ?? "(not shown)"),
        card.details.length > 0 && el("ul", { class: "details" }, card.details.map((line) => el("li", {}, line))),
        Object.entries(card.claims).map(([key, value]) => el("p", { class: "claim" }, el("code", {}, `${key} = ${value}`))),
        el("p", { class: "facts" }, facts(card)),
        el("p", { class: "because" }, card.because.join("; ")),
        el(
          "p",
          { class: "actions" },
          buttons,
          actions.map((action) => el("button", { type: "button", click: () => act(node, card, action) }, ACTIONS[action][0])),
        ),
      ),
      beside && el("div", { class: "beside" }, beside(card)),
    );
    node.act = (action) => actions.includes(action) && act(node, card, action);
    return node;
  }

  function act(node, card, action) {
    const at = rows().indexOf(node);
    decider.ask({ action, card, at, project: page.repository, choices: page.agreed });
  }

  // The action of the record that has the focus, for a key.
  function press(key) {
    const node = document.activeElement?.closest?.(".memo");
    const action = node?.dataset.actions.split(" ").find((name) => ACTIONS[name]?.[1] === key);
    if (action) node.act(action);
  }

  const rows = () => [...body.querySelectorAll(".memo")];
  return { show, rows, press };
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
    el("span", {}, entry.source.class.replace("_", " ")),
    decided_by && el("span", {}, `accepted by ${decided_by}`),
    el("time", { datetime: entry.source.at }, day(entry.source.at)),
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
  const name = ref.startsWith("chunk:") ? el("a", { href: toChunk(ref) }, ref) : el("code", {}, ref);
  return el("figure", { class: "proof" }, el("figcaption", {}, name), lines.length > 0 && el("pre", {}, lines.join("\n")));
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
    el("p", { class: "command" }, el("code", {}, "aicx memory put STATEMENT"), el("code", {}, "aicx memory backfill")),
  );
}
