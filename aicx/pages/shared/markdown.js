// The little Markdown that agents write, as elements: headings, lists, tables, quotes, code, emphasis, links. What it
// does not know stays as it was written. HTML in a message is text like any other.

import { el } from "./dom.js";

// None of these tries the same text twice: a message may be long, and may be made to keep the page busy.
const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^(#{1,6})[ \t]+(.*)$/s;
const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/s;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const TABLE_RULE = /^:?-{2,}:?$/;
// What may begin something: code first, for nothing inside it means anything; then links, bold, italics, bare addresses.
const INLINE =
  /(`+)|\[([^\][]+)\]\((https?:\/\/[^\s()]+)\)|(\*\*|__)(?=\S)|(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])|(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]])/g;
const OPENING = /^(?:\s*(?:#{1,6}|[-*+>]|\d{1,9}[.)])[ \t]+)+/;
const DEEPEST = 8;

export function markdown(text) {
  return blocks(text.split("\n"), 0);
}

// One line of a text, such as an excerpt's: what emphasises and links is drawn, what opens a block is left out.
export function markdownLine(text) {
  const row = text.trim().startsWith("|") ? cells(text).join(" · ") : text;
  return inline(row.replace(OPENING, ""));
}

// Every reader of a block takes lines from `at` on and says where it stopped.
function blocks(lines, depth) {
  const nodes = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (!line.trim()) {
      at += 1;
      continue;
    }
    const read = readerOf(lines, at);
    const [node, next] = depth < DEEPEST ? read(lines, at, depth) : paragraph(lines, at);
    nodes.push(node);
    at = next;
  }
  return nodes;
}

function readerOf(lines, at) {
  const line = lines[at];
  if (FENCE.test(line)) return fenced;
  if (HEADING.test(line)) return heading;
  if (RULE.test(line)) return rule;
  if (ITEM.test(line)) return list;
  if (/^\s*>/.test(line)) return quote;
  if (line.includes("|") && isTableRule(lines[at + 1] ?? "")) return table;
  return paragraph;
}

function isTableRule(line) {
  return cells(line).every((cell) => TABLE_RULE.test(cell));
}

function fenced(lines, at) {
  const [, fence, language] = FENCE.exec(lines[at]);
  const indent = lines[at].search(/\S/);
  let end = at + 1;
  while (end < lines.length && !isClosing(lines[end], fence)) end += 1;
  const body = lines.slice(at + 1, end).map((line) => line.replace(new RegExp(`^\\s{0,${indent}}`), ""));
  return [el("pre", { class: "code", "data-language": language || null }, el("code", {}, body.join("\n"))), end + 1];
}

function isClosing(line, fence) {
  const text = line.trim();
  return text.length >= fence.length && text === fence[0].repeat(text.length);
}

function heading(lines, at) {
  const [, marks, text] = HEADING.exec(lines[at]);
  // Headings of messages stand below those of the page.
  return [
    el("p", { class: "heading", role: "heading", "aria-level": Math.min(6, marks.length + 3) }, inline(unhashed(text))),
    at + 1,
  ];
}

// A heading's text without the hashes that may close it.
function unhashed(text) {
  return text
    .trimEnd()
    .replace(/(^|[ \t])#+$/, "")
    .trimEnd();
}

function rule(_, at) {
  return [el("hr"), at + 1];
}

function list(lines, at, depth) {
  const [, indent, bullet, number] = ITEM.exec(lines[at]);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[1].length !== indent.length || Boolean(item[2]) !== Boolean(bullet)) break;
    const body = [item[4].replace(/^\[([ xX])\]\s+/, (_, mark) => (mark === " " ? "☐ " : "☑ "))];
    end += 1;
    // What belongs to the item is indented further, or goes on without a blank line between.
    while (end < lines.length && belongs(lines, end, indent.length)) {
      body.push(lines[end]);
      end += 1;
    }
    items.push(el("li", {}, tight(blocks(outdented(body), depth + 1))));
  }
  return [bullet ? el("ul", {}, items) : el("ol", { start: number === "1" ? null : number }, items), end];
}

function belongs(lines, at, indent) {
  const line = lines[at];
  if (!line.trim()) return at + 1 < lines.length && /^\s/.test(lines[at + 1]) && lines[at + 1].search(/\S/) > indent;
  if (line.search(/\S/) > indent) return true;
  return Boolean(lines[at - 1].trim()) && readerOf(lines, at) === paragraph;
}

function outdented([first, ...rest]) {
  const indents = rest.filter((line) => line.trim()).map((line) => line.search(/\S/));
  const common = indents.length ? Math.min(...indents) : 0;
  return [first, ...rest.map((line) => line.slice(common))];
}

// The only paragraph of an item needs no box of its own.
function tight(nodes) {
  return nodes[0]?.tagName === "P" && !nodes[0].className ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes;
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && /^\s*>/.test(lines[end])) end += 1;
  const body = lines.slice(at, end).map((line) => line.replace(/^\s*> ?/, ""));
  return [el("blockquote", {}, blocks(body, depth + 1)), end];
}

function table(lines, at) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && lines[end].trim()) end += 1;
  const row = (line, cell) =>
    el(
      "tr",
      {},
      cells(line).map((text) => el(cell, {}, inline(text))),
    );
  const head = el("thead", {}, row(lines[at], "th"));
  const body = el(
    "tbody",
    {},
    lines.slice(at + 2, end).map((line) => row(line, "td")),
  );
  return [el("div", { class: "wide", tabindex: "0" }, el("table", {}, head, body)), end];
}

function cells(line) {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((text) => text.trim().replaceAll("\\|", "|"));
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && readerOf(lines, end) === paragraph) end += 1;
  return [el("p", {}, inline(lines.slice(at, end).join("\n"))), end];
}

function inline(text) {
  const nodes = [];
  const endOfCode = codeEnds(text);
  const endOfBold = boldEnds(text);
  let from = 0;
  let match;
  const opening = new RegExp(INLINE);
  while ((match = opening.exec(text))) {
    const [whole, ticks, label, address, mark, italic, bare] = match;
    const start = match.index + whole.length;
    const end = ticks ? endOfCode(ticks, start) : mark ? endOfBold(mark, start) : start;
    if (end === -1) {
      // Nothing closes it, so it is text. Of three stars the last two may still begin something.
      opening.lastIndex = ticks ? start : match.index + 1;
      continue;
    }
    nodes.push(text.slice(from, match.index));
    const inner = text.slice(start, end);
    if (ticks) nodes.push(el("code", {}, inner));
    else if (mark) nodes.push(el("strong", {}, inline(inner)));
    else if (label !== undefined) nodes.push(link(address, label));
    else if (italic !== undefined) nodes.push(el("em", {}, inline(italic)));
    else nodes.push(link(bare, bare));
    from = end + (ticks ?? mark ?? "").length;
    opening.lastIndex = from;
  }
  nodes.push(text.slice(from));
  return nodes.filter((node) => node !== "");
}

// Where code ends that was opened with so many backticks: at the next run of as many; -1 where there is none.
function codeEnds(text) {
  const last = new Map([...text.matchAll(/`+/g)].map((run) => [run[0].length, run.index]));
  return (ticks, start) => {
    if ((last.get(ticks.length) ?? -1) < start) return -1;
    const runs = /`+/g;
    runs.lastIndex = start;
    let run;
    do run = runs.exec(text);
    while (run[0].length !== ticks.length);
    return run.index;
  };
}

// Where bold ends: at the next such mark that stands behind no space; -1 where there is none, which is looked up once.
function boldEnds(text) {
  const unclosed = new Set();
  return (mark, start) => {
    let end = unclosed.has(mark) ? -1 : text.indexOf(mark, start + 1);
    while (end !== -1 && !text[end - 1].trim()) end = text.indexOf(mark, end + 1);
    if (end === -1) unclosed.add(mark);
    return end;
  };
}

// A label may claim anything, so where the link leads is said beside it, unless the label is just that.
function link(address, label) {
  const host = hostOf(address);
  if (host === null) return label;
  const leads = el("a", { href: address, target: "_blank", rel: "noopener noreferrer", title: address }, label);
  return label === host || hostOf(label) === host ? leads : [leads, el("span", { class: "host" }, ` (${host})`)];
}

function hostOf(address) {
  try {
    return new URL(address).host;
  } catch {
    return null;
  }
}
