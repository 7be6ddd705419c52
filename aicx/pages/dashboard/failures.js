// A failure that tools reported: what helped, what was tried without effect, and the part of the session that shows it.

import { el } from "./dom.js";
import { lines, refLink, toSession } from "./evidence.js";
import { ago, count, exact, plural } from "./format.js";

const NAMED = 3; // files and commands in a line

export function failureSummary(failure) {
  const { resolutions, attempts } = failure;
  const helped = resolutions.find(({ by }) => by.files.length || by.commands.length);
  const place = failure.file && (failure.line ? `${failure.file}:${failure.line}` : failure.file);
  return [
    el("span", { class: "statement" }, failure.code && el("code", {}, failure.code), failure.code && " ", failure.message),
    helped && el("span", { class: "next" }, el("b", {}, "Helped "), told(helped.by)),
    !helped && resolutions.length > 0 && el("span", { class: "next" }, "It passed again without a change."),
    el(
      "span",
      { class: "facts" },
      el("span", { "data-state": failure.status }, failure.status),
      el("span", {}, failure.toolchain),
      place && el("span", { class: "path" }, place),
      el("span", {}, plural(failure.occurrences, "time")),
      failure.sessions.length > 1 && el("span", {}, `in ${plural(failure.sessions.length, "session")}`),
      attempts.length > 0 && el("span", {}, `${count(attempts.length)} tried`),
      el("time", { datetime: failure.last_at, title: exact(failure.last_at) }, ago(failure.last_at)),
    ),
  ];
}

export function failureBody(failure) {
  const others = failure.sessions.slice(1);
  return [
    lines("Command", [failure.command], { proofs: { [failure.command]: [failure.last_ref] }, code: true }),
    failure.test && lines("Test", [failure.test], { code: true }),
    tries(failure.status === "open" ? "Resolved before by" : "Resolved by", failure.resolutions.map(({ by }) => by)),
    tries("Tried without effect", failure.attempts),
    el(
      "p",
      { class: "from" },
      el("a", { href: toSession(failure.sessions[0]) }, "Open the session"),
      others.length > 0 && [" Also in ", others.map((ref) => [refLink(ref), " "])],
      " ",
      el("code", {}, failure.id),
    ),
  ];
}

function tries(title, all) {
  if (!all.length) return null;
  return el("div", { class: "lines" }, el("h3", {}, title), el("ul", { class: "tries", role: "list" }, all.map(whole)));
}

// Everything that was changed and run, where `told` names some of it.
function whole({ files, commands, ref, at }) {
  const part = (verb, names) => names.length > 0 && el("p", {}, verb, names.map((name) => [" ", el("code", {}, name)]));
  return el(
    "li",
    {},
    part("Edited", files),
    part("Ran", commands),
    !files.length && !commands.length && el("p", {}, "Nothing was changed."),
    refLink(ref),
    " ",
    el("time", { datetime: at, title: exact(at) }, ago(at)),
  );
}

function told({ files, commands }) {
  const parts = [files.length && `edited ${named(files)}`, commands.length && `ran ${named(commands)}`].filter(Boolean);
  return parts.join("; ");
}

function named(all) {
  return all.length > NAMED ? `${all.slice(0, NAMED).join(", ")} and ${count(all.length - NAMED)} more` : all.join(", ");
}
