// The reader: one report, or an overview of all.

function open(id) {
  const record = records.get(id);
  openId = record ? id : null;
  for (const found of $("list").querySelectorAll(".row")) found.setAttribute("aria-current", String(found.dataset.id === openId));
  document.body.classList.toggle("reading", Boolean(record));
  const reader = $("reader");
  if (!record) {
    reader.replaceChildren(overview());
    return;
  }
  reader.replaceChildren(...page(record));
  reader.scrollTop = 0;
  reader.focus({ preventScroll: true });
}

/** What stands in the reader's place: how the matching reports fared, by workflow. */
function overview() {
  const found = element("div", "overview");
  if (!matching.length) {
    const hint = records.size ? "No report matches these filters." : "No report is in this file. Import a bundle.";
    found.append(element("p", "empty", hint));
    return found;
  }
  const groups = Map.groupBy(matching, (record) => record.workflow ?? "");
  const made = element("table");
  const head = made.createTHead().insertRow();
  for (const name of ["Workflow", "Reports", "Done", "Failed", "Open", "Last"]) head.append(element("th", "", name));
  const body = made.createTBody();
  for (const [workflow, group] of [...groups].sort((one, other) => other[1].length - one[1].length || (one[0] < other[0] ? -1 : 1))) {
    const line = body.insertRow();
    const name = element("button", "", workflow || "not said");
    name.type = "button";
    name.disabled = !workflow;
    name.addEventListener("click", () => {
      $("workflow").value = workflow;
      filter();
    });
    line.insertCell().append(name);
    line.append(element("td", "", group.length.toLocaleString("en")));
    for (const kind of ["good", "bad", "open"]) {
      const count = group.filter((record) => state(record) === kind).length;
      line.append(element("td", count ? kind : "", count ? count.toLocaleString("en") : "·"));
    }
    line.append(element("td", "", group[0].date ?? ""));
  }
  found.append(element("p", "dim", "Choose a report, or a workflow."), made);
  return found;
}

function* page(record) {
  const back = element("button", "", "← All reports");
  back.id = "back";
  back.type = "button";
  back.addEventListener("click", close);
  yield back;
  const head = element("div", "head");
  const line = element("p", "dim", [record.agent, project(record), record.date].filter(Boolean).join(" · "));
  if (record.status) line.prepend(element("span", `word ${state(record)}`, record.status), " · ");
  head.append(element("h2", "", record.title), line);
  yield head;
  yield facts(record);
  if (!record.files?.report) yield element("p", "warn", "No report was written; this is what its other files say.");
  for (const problem of record.problems ?? []) yield element("p", "warn", problem);
  if (record.detail) {
    const text = element("div", "text");
    text.append(...markdown(record.detail));
    // The head has said it already.
    if (text.firstElementChild?.matches(".heading") && text.firstElementChild.textContent === record.title) text.firstElementChild.remove();
    const outline = [...text.querySelectorAll(".heading")];
    if (outline.length > 3) yield contents(outline);
    yield text;
    if (record.detail_cut) yield element("p", "warn", "The report goes on; only its beginning is in this file.");
  }
  if (record.transcript_tail) {
    const details = element("details");
    details.open = !record.detail;
    const size = record.transcript_bytes ? ` of ${bytes(record.transcript_bytes)}` : "";
    details.append(element("summary", "", `End of the transcript${size}`), element("pre", "", record.transcript_tail));
    yield details;
  }
}

function facts(record) {
  const list = element("dl");
  const codes = [["Run", record.run_id], ["Prompt", record.prompt_id], ["Session", record.session_id]];
  const plain = [["Workflow", record.workflow], ["Lane", record.lane], ["Mode", record.mode !== record.workflow && record.mode], ["Skill", record.skill_code],
    ["Model", record.model], ["Started", moment(record.started_at)], ["Completed", moment(record.completed_at)],
    ["Took", duration(record)], ["Tokens", record.token_usage?.toLocaleString("en")],
    ["Findings", record.findings_count?.toString()], ["Exit code", record.exit_code?.toString()]];
  const add = (name, value, kind = "", wide = "") => {
    if (!value) return;
    const pair = element("div", wide);
    pair.append(element("dt", "", name), element("dd", kind, value));
    list.append(pair);
  };
  for (const [name, value] of plain) add(name, value);
  for (const [name, value] of codes) add(name, value, "code");
  add("File", record.path, "code", "wide-fact");
  return list;
}

function contents(outline) {
  const nav = element("nav");
  nav.setAttribute("aria-label", "Contents");
  const top = Math.min(...outline.map((heading) => Number(heading.ariaLevel)));
  for (const heading of outline) {
    const link = element("button", `l${Number(heading.ariaLevel) - top + 2}`, heading.textContent);
    link.type = "button";
    link.addEventListener("click", () => heading.scrollIntoView());
    nav.append(link);
  }
  return nav;
}
