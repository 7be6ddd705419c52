// Where the data of a page that is a file comes from: the file. Offers what `server.js` does, but looks for words only.

import { Index } from "./bm25.js";
import { patternOf } from "./highlight.js";
import { phrasesOf, termsOf } from "./words.js";

// As in the index of aicx itself: what was said counts more than what was thought, and that more than what tools printed.
const WEIGHTS = { reasoning: 0.7, tool: 0.3 };
const SOON = 500; // milliseconds after the page is there, the index begins to be made
const LINES = 3;
const LINE = 200;
const HOUR = 3600e3;
const UNITS = { h: 1, d: 24, w: 7 * 24 };

export function embedded(data) {
  const chunks = data.sessions.flatMap((entry) => entry.chunks.map((chunk) => ({ chunk, session: entry.session })));
  let index = null;
  const ready = () => (index ??= Index.of(chunks, partsOf));
  setTimeout(ready, SOON);

  async function search(asked, signal) {
    const scores = (await ready()).scores([...termsOf(asked.q)]);
    signal?.throwIfAborted();
    const phrases = phrasesOf(asked.q).phrases.map((phrase) => phrase.toLowerCase().split(/\s+/).join(" "));
    const passes = filter(asked);
    let found = [...scores]
      .map(([number, score]) => ({ ...chunks[number], score }))
      .filter(
        ({ chunk, session }) => passes(chunk, session) && phrases.every((phrase) => plain(chunk).includes(phrase)),
      );
    if (asked.decay === "gentle") found = found.map((hit) => ({ ...hit, score: hit.score * gentle(hit.chunk) }));
    found.sort((one, other) => other.score - one.score || (one.chunk.id < other.chunk.id ? -1 : 1));
    const ranks = new Map(found.map(({ chunk }, at) => [chunk, at + 1]));
    if (asked.group === "session") found = bySession(found);
    if (asked.sort === "newest" || asked.sort === "oldest") found = byTime(found, asked.sort);
    const best = Math.max(...found.map(({ score }) => score));
    const shown = found.slice(0, asked.limit ?? 10);
    return {
      query: asked.q,
      results: shown.length,
      matched: found.length,
      items: shown.map((hit, at) => answer(hit, at + 1, ranks.get(hit.chunk), best, asked.q)),
      notes: [],
      oracle_status: { backend: "plain words, in this page", freshness: {}, fallback_reason: null },
    };
  }

  async function browse(asked) {
    const passes = filter(asked);
    const matching = data.sessions.filter(({ session, chunks }) => chunks.some((chunk) => passes(chunk, session)));
    const items = matching.slice(asked.offset, asked.offset + asked.limit).map(({ session, chunks }) => ({
      ...session,
      project: session.projects[0],
      messages: chunks.reduce((sum, chunk) => sum + chunk.messages, 0),
    }));
    return { matched: matching.length, items, notes: [] };
  }

  async function detail({ id, agent, chunk, offset = 0, limit = 20 }) {
    const found = data.sessions.find(({ session }) => session.session_id === id && session.agent === agent);
    if (!found) throw new Error("This session is not in the file; the store it was made from has it.");
    const place = chunk ? found.chunks.findIndex((each) => each.id === chunk) : -1;
    const from = place < 0 ? offset : Math.floor(place / limit) * limit;
    const left = found.left_out && `${found.left_out} earlier parts of this session are not in the file.`;
    return {
      session: found.session,
      chunks: found.chunks.slice(from, from + limit),
      offset: from,
      total: found.chunks.length,
      notes: [left],
    };
  }

  return {
    offline: true,
    about: data.about,
    status: async () => data.status,
    overview: async () => data.overview,
    search,
    browse,
    detail,
  };
}

function* partsOf({ chunk, session }) {
  yield [[session.title, chunk.project, session.branch].filter(Boolean).join("\n"), 1];
  for (const turn of chunk.turns) if (!turn.echo) yield [turn.text, WEIGHTS[turn.role] ?? 1];
}

function plain(chunk) {
  return chunk.turns
    .map((turn) => turn.text)
    .join("\n")
    .toLowerCase()
    .replace(/\s+/g, " ");
}

// Whether a part passes the filters, as in aicx: a span of time lets through what reaches into it.
function filter({ project, agent, kind, since, until, session: id }) {
  const from = since ? instant(since) : -Infinity;
  const to = until ? instant(until) + (/^\d{4}-/.test(until) ? 24 * HOUR : 0) : Infinity;
  return (chunk, session) =>
    (!project || chunk.project === project) &&
    (!agent || session.agent === agent) &&
    (!kind || chunk.kind === kind) &&
    (!id || session.session_id === id) &&
    Date.parse(chunk.completed_at) >= from &&
    Date.parse(chunk.started_at) < to;
}

function instant(text) {
  const [, number, unit] = /^(\d+)([hdw])$/.exec(text) ?? [];
  return unit ? Date.now() - number * UNITS[unit] * HOUR : Date.parse(text);
}

// The best part of each session, and how many of its parts were found.
function bySession(found) {
  const sessions = new Map();
  for (const hit of found) {
    const known = sessions.get(hit.session);
    if (known) known.parts += 1;
    else sessions.set(hit.session, { ...hit, parts: 1 });
  }
  return [...sessions.values()];
}

// The factor for age of `aicx steer` (retrieval/decay.py): from 1.25 now to 0.65 for what is old, over a quarter.
function gentle(chunk) {
  const days = Math.max(0, Date.now() - Date.parse(chunk.completed_at)) / 86_400_000;
  return 1 + 0.5 * (0.3 + 1.2 * Math.exp(-days / 90) - 1);
}

function byTime(found, sort) {
  const sign = sort === "newest" ? -1 : 1;
  return found.toSorted((one, other) => sign * (Date.parse(one.chunk.started_at) - Date.parse(other.chunk.started_at)));
}

function answer({ chunk, session, score, parts = 1 }, rank, place, best, question) {
  const wanted = new Set(termsOf(question));
  const here = new Set([...partsOf({ chunk, session })].flatMap(([text]) => [...termsOf(text)]));
  const found = [...wanted].filter((term) => here.has(term)).length;
  return {
    rank,
    score: best > 0 ? score / best : 0,
    tier: found === wanted.size ? "exact" : "partial",
    ...Object.fromEntries(["id", "started_at", "kind", "project"].map((name) => [name, chunk[name]])),
    ...Object.fromEntries(["session_id", "agent", "title", "lane", "branch", "cwd"].map((name) => [name, session[name]])),
    chunks: parts,
    terms_found: found,
    terms_asked: wanted.size,
    matches: linesOf(chunk, question),
    altered: chunk.altered,
    decay_factor: 1,
    contributions: { lexical: { rank: place, score: Number(score.toFixed(4)), worth: 1 } },
  };
}

// The lines with most of the question's different words, in the order of the text.
function linesOf(chunk, question) {
  const pattern = patternOf(question);
  const lines = chunk.turns
    .filter((turn) => !turn.echo)
    .flatMap((turn) => turn.text.split("\n").map((line) => ({ line, weight: WEIGHTS[turn.role] ?? 1 })));
  const worth = lines.map(({ line, weight }, at) => ({
    line,
    at,
    worth: weight * new Set([...(pattern ? line.matchAll(pattern) : [])].map(([word]) => word.toLowerCase())).size,
  }));
  const best = worth
    .filter((each) => each.worth > 0)
    .sort((one, other) => other.worth - one.worth || one.at - other.at)
    .slice(0, LINES);
  return best.sort((one, other) => one.at - other.at).map(({ line }) => around(line.trim(), pattern));
}

function around(line, pattern) {
  if (line.length <= LINE) return line;
  const from = Math.max(0, line.search(pattern) - LINE / 4);
  return `${from ? "…" : ""}${line.slice(from, from + LINE).trim()}${from + LINE < line.length ? "…" : ""}`;
}
