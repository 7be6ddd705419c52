// Lines with what proves them: each reference leads to the part of a session, to the session, or to a commit's reason.

import { el } from "./dom.js";
import { markdownLine } from "./markdown.js";
import { NOTHING_ASKED, writeRoute } from "./route.js";
import { toChunk } from "./why.js";

const SHOWN_HASH = 9;

// A list under a heading, null for none. `proofs` are the references of each line.
export function lines(title, texts, { proofs = {}, project = "", code = false } = {}) {
  if (!texts.length) return null;
  return el(
    "div",
    { class: "lines" },
    el("h3", {}, title),
    el(
      "ul",
      { role: "list" },
      texts.map((text) =>
        el("li", {}, el(code ? "code" : "span", { class: "said" }, code ? text : markdownLine(text)), (proofs[text] ?? []).map((ref) => [" ", refLink(ref, project)])),
      ),
    ),
  );
}

export function refLink(ref, project = "") {
  const [kind, name] = ref.split(/:(.*)/s);
  if (kind === "chunk") return el("a", { href: toChunk(ref), title: ref }, `part ${Number(name.split(":").at(-1)) || name}`);
  if (kind === "session") return el("a", { href: toSession(ref), title: ref }, "session");
  if (kind === "commit") {
    const why = writeRoute({ ...NOTHING_ASKED, view: "why", target: name, project });
    return el("a", { href: why, title: ref }, `commit ${name.slice(0, SHOWN_HASH)}`);
  }
  return el("code", {}, ref);
}

export function toSession(ref) {
  return writeRoute({ ...NOTHING_ASKED, session: ref.replace(/^session:/, "") });
}
