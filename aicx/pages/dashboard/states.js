// What is shown when there is nothing to show: still loading, nothing found, something went wrong. Each with a next step.

import { el } from "./dom.js";
import { copyButton } from "./copy.js";

export function skeleton(rows) {
  const row = () => el("div", { class: "skeleton" }, el("i"), el("i"), el("i"));
  return el("div", { class: "skeletons", "aria-hidden": "true" }, Array.from({ length: rows }, row));
}

export function emptyState(title, ...more) {
  return el("div", { class: "state" }, el("h2", {}, title), more);
}

// A failure, the command that helps where one is known, and a way to try again; `more` are other ways out.
export function failureState(failure, again, ...more) {
  return el(
    "div",
    { class: "state", role: "alert" },
    el("h2", {}, failure.message),
    failure.hint && hintLine(failure.hint),
    el("button", { type: "button", click: again }, "Try again"),
    more,
  );
}

// A hint is a command to run, or a sentence.
export function hintLine(hint) {
  if (!/^(aicx|pip) /.test(hint)) return el("p", {}, hint);
  return el("p", { class: "command" }, el("code", {}, hint), copyButton(hint, "Copy the command"));
}

export function noteLines(notes) {
  return notes.filter(Boolean).map((note) => el("p", { class: "note" }, note));
}
