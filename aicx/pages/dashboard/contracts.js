// A contract that a session was given, beside how it was kept: each check, the score, and what was found.

import { el } from "./dom.js";
import { lines, refLink, toSession } from "./evidence.js";
import { ago, exact } from "./format.js";
import { agentTag } from "./results.js";
import { table } from "./tables.js";

const KEPT = new Map([
  [true, ["resolved", "✓ kept"]],
  [false, ["failed", "✕ not kept"]],
  [null, ["unknown", "not known"]],
]);

export function contractSummary({ goal, summary, agent, at, outcome, result }) {
  const issue = result.violations[0] ?? result.warnings[0];
  return [
    el("span", { class: "statement" }, goal || summary || "No goal was said"),
    issue && el("span", { class: "next" }, issue.detail),
    el(
      "span",
      { class: "facts" },
      el("span", { "data-state": result.status }, result.status.replace("_", " ")),
      result.score !== null && el("span", { title: "score from 0 to 1" }, result.score.toFixed(2)),
      agentTag(agent),
      outcome && el("span", {}, `reported as ${outcome}`),
      el("time", { datetime: at, title: exact(at) }, ago(at)),
    ),
  ];
}

export function contractBody({ ref, session, stored, summary, contract, result }) {
  const found = (all) => all.map(({ detail, code }) => `${detail} (${code})`);
  return [
    contract ? checks(contract, result.checks) : el("p", { class: "how" }, "It began without a contract."),
    result.score === null && el("p", { class: "how" }, result.compact_summary),
    lines("Violations", found(result.violations)),
    lines("Warnings", found(result.warnings)),
    summary && lines("Said of its end", [summary]),
    el(
      "p",
      { class: "from" },
      stored ? el("a", { href: toSession(session) }, "Open the session") : "Its session is not stored, or not read yet: it is judged by what was reported.",
      " ",
      refLink(ref),
    ),
  ];
}

function checks(contract, kept) {
  const { first_action: first, edit_scope: scope, test_command: test } = contract;
  const files = [...scope.primary, ...scope.secondary];
  const wanted = first && (first.path ? [first.path] : contract.expected_first_files);
  const rows = [
    ["Look at first", wanted ? codes(wanted) : "nothing was asked", verdict(kept.followed_first_action)],
    ["Edit", files.length ? codes(files) : "anything", verdict(kept.edited_within_scope)],
    ["Leave alone", codes(scope.avoid), ""],
    ["Test", test.command ? codes([test.command]) : "no test is known", verdict(kept.canonical_test_used)],
    ["Report the end", codes([contract.finalize_command]), verdict(kept.finalize_used)],
  ].filter(([name]) => name !== "Leave alone" || scope.avoid.length);
  return table(`A ${contract.contract_strength} contract`, ["", "Asked", "Kept"], rows, { name: "checks", stacks: true });
}

function verdict(check) {
  const [state, words] = KEPT.get(check);
  return el("span", { class: "kept", "data-state": state }, words);
}

function codes(all) {
  return el("span", { class: "codes" }, all.map((text) => [el("code", {}, text), " "]));
}
