"use strict";
import { markdown } from "./markdown.js";

// The page's state and its start. All scripts of this folder are one module when the page is made, this one the first.
// Text from a report reaches the page through textContent only.

const $ = (id) => document.getElementById(id);
const records = new Map(); // id -> record
let bundle = {}; // the one this file was made with, without its records
let matching = []; // what the filters hold, in order
let shown = 0; // how many of them have a row
let openId = null;

addEventListener("DOMContentLoaded", start);

function changeTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function listen() {
  $("filters").addEventListener("input", filter);
  $("filters").addEventListener("reset", () => setTimeout(filter));
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("unfold").addEventListener("click", () => {
    $("unfold").setAttribute("aria-expanded", String($("filters").classList.toggle("unfolded")));
  });
  $("list").addEventListener("click", (event) => {
    const chosen = event.target.closest(".row");
    if (chosen) location.hash = chosen.dataset.id;
  });
  $("more").addEventListener("click", showMore);
  $("problems").addEventListener("click", () => notify(problems().join("\n"), true));
  $("theme").addEventListener("click", changeTheme);
  $("import").addEventListener("click", () => $("file").click());
  $("export").addEventListener("click", exportBundle);
  $("file").addEventListener("change", async () => {
    await importFiles([...$("file").files]);
    $("file").value = "";
  });
  $("notice").querySelector("button").addEventListener("click", () => ($("notice").hidden = true));
  addEventListener("hashchange", follow);
  addEventListener("keydown", press);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    $("drop").hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) $("drop").hidden = true;
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    $("drop").hidden = true;
    importFiles([...event.dataTransfer.files]);
  });
}

function start() {
  listen();
  try {
    const read = readBundle($("bundle").textContent);
    bundle = read.bundle;
    merge(read.good);
    if (read.refused.length) notify(`In this file, ${read.refused.join("; ")}.`, true);
  } catch (error) {
    notify(`The bundle in this file ${error.message}.`, true);
  }
  bundle.records = [];
  refresh();
  follow();
}

/** The report that the address names is the open one, so that the browser's own back button works. */
function follow() {
  open(location.hash.slice(1));
}

function close() {
  const row = $("list").querySelector('[aria-current="true"]');
  history.replaceState(null, "", location.pathname + location.search);
  follow();
  row?.focus();
}

function step(by) {
  const at = matching.findIndex((record) => record.id === openId);
  const next = matching[at < 0 ? 0 : Math.min(matching.length - 1, Math.max(0, at + by))];
  if (!next) return;
  while (shown < matching.length && !matching.slice(0, shown).includes(next)) showMore();
  location.replace(`#${next.id}`);
  $("list").querySelector(`[data-id="${next.id}"]`)?.scrollIntoView({ block: "nearest" });
}

function press(event) {
  const typing = event.target.matches("input, select");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (typing) event.target.blur();
    else close();
  } else if (typing) {
    return;
  } else if (event.key === "/") {
    $("text").focus();
  } else if (event.key === "j" || event.key === "k") {
    step(event.key === "j" ? 1 : -1);
  } else {
    return;
  }
  event.preventDefault();
}
