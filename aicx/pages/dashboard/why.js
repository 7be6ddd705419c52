// Why something was made: a box for a commit, a file or lines, and below it the sessions behind them with what they say
// of the reason. Each answer has an address of its own, with the repository's name and no path of this machine.

import { copyButton } from "./copy.js";
import { el, fill } from "./dom.js";
import { clock, count, day, exact, placeName, plainTitle, plural, projectName } from "./format.js";
import { markdownLine } from "./markdown.js";
import { agentTag, theirs } from "./results.js";
import { NOTHING_ASKED, writeRoute } from "./route.js";
import { emptyState, failureState, noteLines, skeleton } from "./states.js";

const SHOWN_HASH = 12;
const MOST_COMMITS = 8;
const KINDS = {
  asked: "Asked",
  found: "Cause found",
  weighed: "Weighed",
  decided: "Decided",
  failed: "Failed on the way",
  passed: "Passed",
  reported: "Reported",
};
const EXAMPLES = ["HEAD", "src/parser.py", "src/", "src/parser.py:10-30", "#12", "v1.1..v1.2"];

export function createWhy(pane, { source, go, announce }) {
  const box = el("input", {
    type: "search",
    placeholder: "Commit, file, folder, file:10-30, #12, tag or range",
    "aria-label": "Commit, file or lines",
    ...{ autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "search", maxlength: "4000" },
  });
  const project = el("select", { "aria-label": "Repository" });
  const team = el("input", { type: "checkbox", change: () => go({ view: "why", team: team.checked ? "true" : "" }) });
  const teamField = el("label", { class: "check", title: "Also ask the share that this home is part of", hidden: true }, team, "and the team");
  const form = el("form", { class: "row", submit: ask }, box, project, teamField, el("button", { type: "submit" }, "Why?"));
  const answer = el("div", { class: "because" });
  fill(pane, el("h1", { class: "hidden" }, "Why"), form, answer);
  let shown = "";
  let running = null;

  function ask(event) {
    event.preventDefault();
    go({ view: "why", target: box.value.trim(), project: project.value });
  }

  function show(route) {
    pane.hidden = route.view !== "why";
    if (pane.hidden) return;
    box.value = route.target;
    team.checked = route.team === "true";
    choose(route.project);
    const wanted = JSON.stringify([route.target, route.project, route.team]);
    if (wanted === shown) return;
    shown = wanted;
    running?.abort();
    if (route.target) load(route);
    else begin(route);
  }

  // Before anything is asked: the latest commits of the repository, by default of the one that the server was started in.
  async function begin(route) {
    running = new AbortController();
    fill(answer, welcome());
    try {
      const found = await source.repositoryTimeline({ project: route.project }, running.signal);
      if (route.project === "" && found.repository) choose(found.repository);
      if (found.commits.length) fill(answer, recent(found), welcome());
    } catch (error) {
      if (error.name !== "AbortError") fill(answer, failureState(error, () => begin(route)));
    }
  }

  async function load(route) {
    running = new AbortController();
    fill(answer, skeleton(4));
    try {
      const found = await source.why({ target: route.target, project: route.project, team: route.team }, running.signal);
      draw(found, route);
    } catch (error) {
      if (error.name === "AbortError") return;
      const again = () => load(route);
      fill(answer, failureState(error, again));
      announce(error.message);
    }
  }

  function draw(found, route) {
    const said = verdict(found);
    // The reason comes before sessions that are only possible.
    const quoted = new Set(found.reason.map((line) => line.session_id)).size;
    const shown = quoted || (found.sessions[0]?.confidence === "low" ? 0 : 1);
    const [likely, rest] = [found.sessions.slice(0, shown), found.sessions.slice(shown)];
    const others = rest.filter((one) => one.confidence !== "low" || isTied(one));
    fill(
      answer,
      el("p", { class: "verdict" }, el("strong", {}, said)),
      noteLines(found.notes),
      found.commits.length > 0 && commits(found, route),
      likely.length > 0 && [sessions("Session", likely), reasons(found)],
      others.length > 0 && sessions(likely.length ? "Less likely" : "Possible", others),
      found.team && ofTeam(found.team),
      (!found.sessions.length || !found.commits.length) && found.sightings.length > 0 && sightings(found.sightings),
    );
    announce(said);
  }

  // What there is to choose from comes later than the page.
  function offer({ projects, member }) {
    teamField.hidden = !member;
    const chosen = project.value;
    const known = projects.filter((item) => projectName(item.project) === item.project);
    fill(
      project,
      el("option", { value: "" }, "no repository: logs alone"),
      known.map((item) => el("option", { value: item.project }, projectName(item.project))),
    );
    choose(chosen);
  }

  function choose(name) {
    if (![...project.options].some((option) => option.value === name))
      project.append(el("option", { value: name }, name ? projectName(name) : "no repository: logs alone"));
    project.value = name;
  }

  const rows = () => [...answer.querySelectorAll("a.title, .reasons li a, .recent a")];
  return { box, show, offer, rows };
}

// From what worth on evidence ties a session: as the text answer has it.
const TIES = { made: 0, printed: 0, lines: 0, files: 1, time: 0.07 };
const isTied = ({ evidence }) => evidence.some(({ kind, worth }) => worth >= (TIES[kind] ?? Infinity));

function verdict({ sessions }) {
  if (!sessions.length) return "No stored session was found for it";
  if (sessions[0].confidence === "low") {
    const named = sessions.some(isTied) ? "; what worked on it, or near then, is only named" : "";
    return `No stored session is known to have made it${named}`;
  }
  return `${plural(sessions.length, "session")}, the first with ${sessions[0].confidence} confidence`;
}

function welcome() {
  return emptyState(
    "From a commit, a file or a line to the session that made it",
    el("p", {}, "Name one of these, in the repository above."),
    el(
      "p",
      { class: "command" },
      EXAMPLES.map((text) => el("code", {}, text)),
    ),
  );
}

function recent({ repository, commits: all }) {
  const line = ({ ref, label, at }) => {
    const hash = ref.replace(/^commit:/, "");
    const why = writeRoute({ ...NOTHING_ASKED, view: "why", target: hash, project: repository });
    return el(
      "li",
      {},
      el("a", { href: why }, label || hash.slice(0, SHOWN_HASH)),
      el("p", { class: "facts" }, el("code", {}, hash.slice(0, SHOWN_HASH)), el("time", { datetime: at, title: exact(at) }, moment(at))),
    );
  };
  return panel(`Latest commits of ${projectName(repository)}`, el("ul", { class: "commits recent" }, all.map(line)));
}

// Each commit leads to its own page.
function commits({ commits: all, project }, route) {
  const own = (hash) => writeRoute({ ...NOTHING_ASKED, view: "why", target: hash, project: route.project || project || "" });
  return panel(
    plural(all.length, "commit"),
    el(
      "ul",
      { class: "commits" },
      all.slice(0, MOST_COMMITS).map((item) =>
        el(
          "li",
          {},
          el("p", {}, el("a", { href: own(item.hash) }, el("code", {}, item.hash.slice(0, SHOWN_HASH))), " ", item.subject),
          el(
            "p",
            { class: "facts" },
            el("time", { datetime: item.committed_at, title: exact(item.committed_at) }, moment(item.committed_at)),
            el("span", { title: item.files.join("\n") }, plural(item.file_count, "file")),
            item.copies.length > 0 && el("span", {}, `also as ${item.copies[0].slice(0, SHOWN_HASH)}`),
            copyButton(item.hash, "Copy the commit's hash", "Copy hash"),
          ),
        ),
      ),
      all.length > MOST_COMMITS && el("li", {}, `and ${count(all.length - MOST_COMMITS)} more`),
    ),
  );
}

function sessions(title, all) {
  return panel(
    title,
    el(
      "ol",
      { class: "results", role: "list" },
      all.map((item) =>
        el(
          "li",
          { class: "result", "data-session": `${item.agent}:${item.session_id}` },
          el("a", { class: "title", href: toSession(item) }, el("span", {}, plainTitle(item.title))),
          el("time", { datetime: item.started_at, title: exact(item.started_at) }, moment(item.started_at)),
          el(
            "ul",
            { class: "matches" },
            item.evidence.map((one) => el("li", { title: `worth ${one.worth}` }, one.text)),
          ),
          el(
            "p",
            { class: "facts" },
            agentTag(item.agent),
            el("span", {}, placeName(item.project, null)),
            item.branch && el("span", { class: "branch", title: "branch" }, item.branch),
            el("span", { class: "why", "data-confidence": item.confidence }, `${item.confidence} confidence`),
          ),
        ),
      ),
    ),
  );
}

// What other members shared is in no store of this machine, so that there is nothing to open.
function ofTeam(all) {
  return panel(
    "Sessions of other members",
    el(
      "ol",
      { class: "results", role: "list" },
      all.map((item) =>
        el(
          "li",
          { class: "result" },
          el("span", { class: "title" }, plainTitle(item.title)),
          el("time", { datetime: item.completed_at, title: exact(item.completed_at) }, moment(item.completed_at)),
          theirs(item.member, item.age),
          item.said && el("div", { class: "matches" }, el("p", {}, markdownLine(item.said))),
          el(
            "p",
            { class: "facts" },
            agentTag(item.agent),
            el("span", {}, placeName(item.project, null)),
            item.branch && el("span", { class: "branch", title: "branch" }, item.branch),
            item.ties.includes("named") && el("span", {}, "names it"),
            item.files.length > 0 && el("span", { title: item.files.join("\n") }, `touched ${plural(item.files.length, "file")} of it`),
          ),
        ),
      ),
    ),
  );
}

function reasons({ reason, sessions: all }) {
  const several = new Set(reason.map((line) => line.session_id)).size > 1;
  const order = new Map(all.map((item, at) => [item.session_id, at + 1]));
  const groups = Object.entries(KINDS).map(([kind, label]) => [label, reason.filter((line) => line.kind === kind)]);
  return groups
    .filter(([, lines]) => lines.length)
    .map(([label, lines]) =>
      panel(
        label,
        el(
          "ul",
          { class: "reasons" },
          lines.map((line) =>
            el(
              "li",
              {},
              el("span", { class: "said" }, markdownLine(line.text)),
              " ",
              el(
                "a",
                { href: toChunk(line.ref), title: exact(line.at) },
                several ? `session ${order.get(line.session_id)}, ${clock(line.at)}` : clock(line.at),
              ),
            ),
          ),
        ),
      ),
    );
}

// Where a commit was printed that git does not know, or that no session can be named for.
function sightings(all) {
  const line = (item) =>
    el(
      "li",
      {},
      el("code", {}, item.hash.slice(0, SHOWN_HASH)),
      ` ${item.subject} `,
      el("a", { href: toChunk(item.ref) }, `${item.made ? "made" : "first seen"} ${moment(item.at)}`),
    );
  return panel("Printed by tools", el("ul", { class: "reasons" }, all.slice(0, MOST_COMMITS).map(line)));
}

function panel(title, ...content) {
  return el("section", { class: "panel" }, el("h2", {}, title), content);
}

function moment(at) {
  return `${day(at)} ${clock(at)}`;
}

function toSession(item) {
  const chunk = item.chunks[0] ?? "";
  return writeRoute({ ...NOTHING_ASKED, session: `${item.agent}:${item.session_id}`, chunk });
}

// A reference is `chunk:AGENT:SESSION:NUMBER`; a session's id may hold a colon.
export function toChunk(ref) {
  const chunk = ref.replace(/^chunk:/, "");
  return writeRoute({ ...NOTHING_ASKED, session: chunk.replace(/:[^:]*$/, ""), chunk });
}
