// Tables: the first cell of a row is its name, numbers stand to the right, and a wide one scrolls by itself.

import { el } from "./dom.js";
import { count } from "./format.js";

// Cells are texts, numbers or elements. A head that everybody can guess is hidden, but for those who listen. Where there
// is little room, the cells of a table that stacks stand below each other.
export function table(title, head, rows, { name = null, isHeadHidden = false, stacks = false } = {}) {
  const isNumber = head.map((_, at) => rows.some((row) => typeof row[at] === "number"));
  const heads = head.map((text, at) => el("th", { scope: "col", class: isNumber[at] && "number" }, text));
  return el(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": title },
    el(
      "table",
      { class: [name, stacks && "stacks"].filter(Boolean).join(" ") || null },
      el("caption", { class: "hidden" }, title),
      el("thead", { class: isHeadHidden && "hidden" }, el("tr", {}, heads)),
      el("tbody", {}, rows.map((row) => drawRow(row, head))),
    ),
  );
}

function drawRow([name, ...cells], [, ...heads]) {
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, name),
    cells.map((cell, at) => drawCell(cell, heads[at])),
  );
}

// A number in a row that is stacked stands under no head, so it has its own.
function drawCell(cell, head) {
  return typeof cell === "number"
    ? el("td", { class: "number", "data-head": head }, count(cell))
    : el("td", {}, cell);
}
