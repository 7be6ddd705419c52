// The first page: the repositories worked in lately, with the newest sessions of each.

import { el } from "./dom.js";
import { ago, plural, projectName } from "./format.js";
import { sessionRow } from "./results.js";
import { NOTHING_ASKED, writeRoute } from "./route.js";

const REPOSITORIES = 8;
const SESSIONS = 3;

// The repositories, most recently active first, with some of their sessions; null where a plain list says as much.
export async function newestByRepository(source, signal) {
  const { projects, agents } = await source.overview({}, signal);
  if (projects.length < 2) return null;
  const sessions = agents.reduce((sum, row) => sum + row.sessions, 0);
  const page = async (row) => {
    const { items } = await source.browse({ project: row.project, limit: SESSIONS, offset: 0 }, signal);
    return { ...row, items };
  };
  return { sessions, of: projects.length, groups: await Promise.all(projects.slice(0, REPOSITORIES).map(page)) };
}

// A heading that leads to all sessions of the repository, and a row for each of the newest.
export function repositoryRows({ project, sessions, latest, items }, addressOf) {
  const all = writeRoute({ ...NOTHING_ASKED, project });
  return [
    el(
      "li",
      { class: "group" },
      el("h2", {}, el("a", { href: all }, projectName(project))),
      el("span", {}, `${plural(sessions, "session")} · ${ago(latest)}`),
    ),
    ...items.map((item) => sessionRow(item, addressOf(item))),
  ];
}
