// What stands above a session: its title, whose it is, how to take it up again, what it came from and led to.

import { copyButton } from "./copy.js";
import { el } from "./dom.js";
import { clock, day, exact, placeName, plainTitle, plural } from "./format.js";
import { agentTag } from "./results.js";
import { noteLines } from "./states.js";

const LOG_GONE = "The agent's own log is gone, so resuming may find nothing; everything below is kept.";

// `bar` has what goes beside the title, `unfold` the button that opens every call; `address` makes a session's link.
export function sessionHead({ session, total, notes }, { bar, unfold, address }) {
  return [
    titleBar(plainTitle(session.title), bar),
    el(
      "p",
      { class: "facts" },
      agentTag(session.agent),
      session.projects.map((project) => el("span", {}, placeName(project, session.cwd))),
      el("span", { title: `${exact(session.started_at)} to ${exact(session.completed_at)}` }, time(session)),
      el("span", {}, plural(total, "part")),
      session.lane === "subagent" && el("span", {}, "subagent"),
      session.cwd && el("span", { class: "path", title: "working folder" }, session.cwd),
    ),
    el("p", { class: "command" }, resume(session), unfold),
    kin(session, address),
    noteLines([session.reopen && !session.log_is_there && LOG_GONE, ...notes]),
  ];
}

export function titleBar(title, more) {
  return el("div", { class: "bar" }, el("h1", { tabindex: "-1" }, title), more);
}

function resume({ agent, session_id: id, reopen }) {
  const reference = `${agent}:${id}`;
  return [
    reopen
      ? [el("code", {}, reopen), copyButton(reopen, "Copy the command that resumes this session")]
      : el("span", {}, `${agent} has no command to resume it`),
    copyButton(reference, "Copy ref of the session, for aicx show", "Copy ref"),
  ];
}

function kin(session, address) {
  const { parent_session: parent, children } = session;
  if (!parent && !children.length) return null;
  const link = (id, label) => el("a", { href: address(`${session.agent}:${id}`) }, label);
  const from = session.parent_stored ? link(parent, "another session") : "a session that is not stored";
  const to = children.map((id, at) => link(id, children.length > 1 ? `session ${at + 1}` : "another session"));
  return el(
    "p",
    { class: "kin" },
    parent && [session.lane === "subagent" ? "Subagent of " : "Continues ", from, ". "],
    to.length > 0 && ["Led to ", to.flatMap((each, at) => (at ? [", ", each] : [each])), "."],
  );
}

function time({ started_at: from, completed_at: to }) {
  const sameDay = day(from) === day(to);
  return `${day(from)} ${clock(from)} – ${sameDay ? "" : `${day(to)} `}${clock(to)}`;
}
