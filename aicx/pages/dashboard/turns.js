// Draws what was said and done: prompts and answers as text, reasoning and tools folded to a line that tells the outcome.

import { el } from "./dom.js";
import { clock, exact, plural } from "./format.js";
import { showRedacted } from "./highlight.js";
import { markdown } from "./markdown.js";

const SPEAKERS = { user: "You", assistant: "Agent", reasoning: "Reasoning" };
const OUTCOMES = { call: ["→", "called"], result: ["✓", "done"], failed: ["✕", "failed"] };
// Longer messages are cut in the display, with a button to see the rest.
const MOST_LINES = 60;
const MOST_LETTERS = 6000;
const LONGEST_SUMMARY = 160;

// The text behind an element, as it was stored: what is shown of it may have lost its marks.
const texts = new WeakMap();
// The turn behind an entry that is half a call: one without its result, or a result without its call.
const halves = new WeakMap();

// `cwd` is where the session worked: paths below it are shown without it in summary lines.
export function drawTurns(turns, cwd) {
  return paired(turns).map((entry) => drawTurn(entry, cwd));
}

function drawTurn({ turn, result }, cwd) {
  const node = turn.tool ? tool(turn, result, cwd) : message(turn);
  texts.set(node, result ? `${turn.text}\n${result.text}` : turn.text);
  if (turn.tool?.call_id != null && !result) {
    halves.set(node, turn);
    node.dataset[turn.tool.outcome === "call" ? "call" : "result"] = turn.tool.call_id;
  }
  showRedacted(node);
  return node;
}

// A result whose call is in an earlier part goes to it. `drawn` gets each entry that is drawn anew.
export function joinAcross(parts, cwd, drawn) {
  const calls = new Map([...parts.querySelectorAll("[data-call]")].map((node) => [node.dataset.call, node]));
  for (const found of parts.querySelectorAll("[data-result]")) {
    const call = calls.get(found.dataset.result);
    if (!call) continue;
    calls.delete(found.dataset.result);
    const node = drawTurn({ turn: halves.get(call), result: halves.get(found) }, cwd);
    node.open = call.open || found.open;
    call.replaceWith(node);
    found.remove();
    drawn(node);
  }
}

export function textOf(node) {
  return texts.get(node) ?? "";
}

// Makes an element visible that is folded or cut away.
export function reveal(node) {
  for (let fold = node.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  node.closest(".cut")?.querySelector(".uncut")?.click();
}

// A call and its outcome become one entry: by the id that the log gave the call or, where it gave none, if no other call of
// the same tool was under way. Of several without an id, the order does not say which one a result is from.
function paired(turns) {
  const entries = [];
  const byId = new Map();
  const waiting = new Map();
  for (const turn of turns) {
    const { name, call_id: id, outcome } = turn.tool ?? {};
    const entry = { turn, result: null };
    if (id != null) {
      const call = outcome === "call" ? null : byId.get(id);
      if (call && !call.result) {
        call.result = turn;
        continue;
      }
      if (outcome === "call") byId.set(id, entry);
    } else if (turn.tool) {
      const calls = waiting.get(name);
      if (outcome === "call") {
        if (calls?.open.length) calls.mixed = calls.open.push(entry) > 1;
        else waiting.set(name, { open: [entry], mixed: false });
      } else if (calls?.open.length) {
        const call = calls.open.shift();
        if (!calls.mixed) {
          call.result = turn;
          continue;
        }
      }
    }
    entries.push(entry);
  }
  return entries;
}

function message(turn) {
  const speaker = SPEAKERS[turn.role] ?? turn.title;
  const part = turn.part ? ` (${turn.part[0]} of ${turn.part[1]})` : "";
  const body = cut(el("div", { class: "text" }, markdown(turn.text)), turn.text);
  if (turn.folded || turn.role === "reasoning") {
    const said = turn.echo ? "aicx answered" : speaker;
    return fold(turn, [el("b", {}, said + part), el("span", { class: "line" }, plain(firstLine(turn.text)))], body);
  }
  return el(
    "div",
    { class: `turn ${turn.role}`, tabindex: "-1" },
    el("p", { class: "who" }, el("b", {}, speaker + part), time(turn.at)),
    body,
  );
}

// Codex titles what it thinks in bold.
function plain(line) {
  return line.replace(/^\*\*(.+)\*\*$/, "$1");
}

function tool(turn, result, cwd) {
  const outcome = (result ?? turn).tool.outcome;
  const [sign, said] = OUTCOMES[outcome] ?? ["·", outcome];
  const call = turn.tool.outcome === "call" ? withoutName(turn) : null;
  const output = result?.text ?? (call === null ? turn.text : null);
  const summary = [
    el("span", { class: "sign", "aria-hidden": "true" }, sign),
    el("b", {}, turn.tool.name),
    el("span", { class: "line" }, inFolder(firstLine(call ?? output), cwd)),
    el(
      "span",
      { class: "outcome" },
      output !== null && outcome !== "failed" ? `${said}, ${plural(lines(output), "line")}` : said,
    ),
  ];
  return fold(turn, summary, [call !== null && pre(call), output !== null && pre(output, "output")], outcome);
}

function fold(turn, summary, body, outcome = null) {
  return el(
    "details",
    { class: `turn ${turn.role}`, "data-outcome": outcome, open: !turn.folded && !turn.tool },
    el("summary", {}, summary, time(turn.at)),
    body,
  );
}

function pre(text, className = "call") {
  return cut(el("pre", { class: className, tabindex: "0" }, text), text);
}

function cut(node, text) {
  const count = lines(text);
  if (count <= MOST_LINES && text.length <= MOST_LETTERS) return node;
  const box = el("div", { class: "cut" }, node);
  const said = count > MOST_LINES ? plural(count, "line") : `${text.length.toLocaleString("en")} characters`;
  const button = el("button", { type: "button", class: "uncut", click: uncut }, `Show all ${said}`);
  box.append(button);
  function uncut() {
    box.classList.remove("cut");
    button.remove();
  }
  return box;
}

function time(at) {
  return el("time", { datetime: at, title: exact(at) }, clock(at));
}

// Agents write the tool's name above its arguments; the summary has it already.
function withoutName({ text, tool: { name } }) {
  const rest = text.startsWith(name) ? text.slice(name.length) : "";
  return /^\s+\S/.test(rest) ? rest.replace(/^\s*\n|^ +/, "") : text;
}

// Some agents put a header of their own over what a command printed.
function firstLine(text) {
  const printed = /^Output:\n([\s\S]*\S)/m.exec(text)?.[1] ?? text;
  const line = printed.split("\n").find((each) => each.trim()) ?? "";
  return line.length > LONGEST_SUMMARY ? `${line.slice(0, LONGEST_SUMMARY)}…` : line;
}

function inFolder(line, cwd) {
  return cwd ? line.replaceAll(`${cwd}/`, "") : line;
}

function lines(text) {
  return text.trimEnd().split("\n").length;
}
