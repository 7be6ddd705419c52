// An open task: what to do next, where it was left, and why it may not be used where it may not.

import { el } from "./dom.js";
import { lines, refLink } from "./evidence.js";
import { ago, exact } from "./format.js";
import { markdownLine } from "./markdown.js";

const REASONS = {
  no_git_context: "written without git",
  git_unavailable: "git says nothing now",
  branch_changed_but_merged: "its branch is merged",
  branch_mismatch_unmerged: "its branch is not merged",
  dirty_branch_mismatch: "left with uncommitted changes",
};
const LISTS = [
  ["Verified", "verified"],
  ["Not verified", "unverified"],
  ["Fails", "failing"],
  ["Blocked by", "blocked"],
  ["Then", "next_steps"],
  ["Questions", "questions"],
  ["Decided", "decisions"],
  ["Given up", "discarded_paths"],
  ["Risks", "risks"],
];

export function taskSummary({ entry, next, next_field: field }) {
  const { loading, git_context: git } = entry;
  return [
    el("span", { class: "statement" }, entry.title),
    field !== "goal" && el("span", { class: "next kept" }, el("b", {}, "Next "), markdownLine(next)),
    !loading.loadable && el("span", { class: "note" }, loading.warning),
    el(
      "span",
      { class: "facts" },
      el("code", {}, entry.ref),
      el("span", { "data-state": entry.status }, entry.status.replace("_", " ")),
      git?.branch && el("span", { class: "branch", title: "branch it was left on" }, git.branch),
      REASONS[loading.reason] && el("span", { "data-reason": loading.reason }, REASONS[loading.reason]),
      el("time", { datetime: entry.updated_at, title: exact(entry.updated_at) }, ago(entry.updated_at)),
    ),
  ];
}

export function taskBody({ entry, proofs }, project) {
  const uncertain = entry.uncertainties.map(({ claim, confidence }) => (confidence ? `${claim} (${confidence} confidence)` : claim));
  return [
    entry.goal !== entry.title && lines("Goal", [entry.goal]),
    entry.hypothesis && lines("Believed", [entry.hypothesis]),
    entry.loading.loadable && entry.loading.warning && lines("Look out", [entry.loading.warning]),
    lines("Files", entry.active_files, { proofs, project, code: true }),
    LISTS.map(([title, name]) => lines(title, entry[name], { proofs, project })),
    lines("Not certain", uncertain),
    lines("Commands", entry.commands, { proofs, project, code: true }),
    lines("Commits", entry.commits, { proofs, project }),
    entry.closing_note && lines("Note", [entry.closing_note]),
    entry.sources.length > 0 && el("p", { class: "from" }, "From ", entry.sources.map((ref) => [refLink(ref, project), " "])),
  ];
}
