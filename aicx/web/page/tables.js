// Tables: the first cell of a row is its name, numbers stand to the right, and a wide one scrolls by itself.

import { el } from "./dom.js";
import { count } from "./format.js";

// Cells are texts, numbers or elements. A head that everybody can guess is hidden, but for those who listen.
export function table(title, head, rows, { name = null, isHeadHidden = false } = {}) {
  const isNumber = head.map((_, at) => rows.some((row) => typeof row[at] === "number"));
  const heads = head.map((text, at) => el("th", { scope: "col", class: isNumber[at] && "number" }, text));
  return el(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": title },
    el(
      "table",
      { class: name },
      el("caption", { class: "hidden" }, title),
      el("thead", { class: isHeadHidden && "hidden" }, el("tr", {}, heads)),
      el("tbody", {}, rows.map(drawRow)),
    ),
  );
}

function drawRow([name, ...cells]) {
  return el("tr", {}, el("th", { scope: "row" }, name), cells.map(drawCell));
}

function drawCell(cell) {
  return typeof cell === "number" ? el("td", { class: "number" }, count(cell)) : el("td", {}, cell);
}
