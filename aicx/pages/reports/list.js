// The list: filters, rows, bars.

const PAGE = 200; // rows that are made at once
const STATES = {
  good: ["completed", "complete", "success", "succeeded", "ok", "done", "passed", "pass"],
  bad: ["failed", "failure", "error", "aborted", "cancelled", "canceled", "timeout", "killed", "blocked"],
  open: ["launching", "starting", "running", "pending", "queued", "in_progress", "in-progress"],
};
const lowered = new WeakMap(); // record -> what the search looks through

const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const project = (record) => [record.org, record.repo].filter(Boolean).join("/");
const lower = (text) => (text ?? "").toLowerCase();
const state = (record) =>
  Object.keys(STATES).find((name) => STATES[name].includes(record.status)) ?? (record.status ? "" : "none");

function byDay(one, other) {
  const key = (record) =>
    [record.date ?? "", record.completed_at ?? record.updated_at ?? record.started_at ?? "", record.path ?? ""];
  const [a, b] = [key(one), key(other)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at] < b[at] ? 1 : -1;
}

function haystack(record) {
  if (!lowered.has(record)) {
    const parts = [record.title, record.run_id, record.prompt_id, record.path, record.detail, record.transcript_tail];
    lowered.set(record, lower(parts.filter(Boolean).join("\n")));
  }
  return lowered.get(record);
}

function wanted() {
  const words = lower($("text").value).split(/\s+/).filter(Boolean);
  const workflow = lower($("workflow").value.trim());
  const [since, until] = [$("since").value, $("until").value];
  const [status, agent, repository] = [$("status").value, $("agent").value, $("project").value];
  return (record) =>
    (!since || (record.date && record.date >= since)) &&
    (!until || (record.date && record.date <= until)) &&
    (!status || (record.status ?? "-") === status) &&
    (!agent || (record.agent ?? "-") === agent) &&
    (!repository || (project(record) || "-") === repository) &&
    (!workflow || [record.workflow, record.lane, record.mode, record.skill_code].some((name) => lower(name).includes(workflow))) &&
    words.every((word) => haystack(record).includes(word));
}

/** Everything that depends on which records there are. */
function refresh() {
  const all = [...records.values()];
  fill("status", "any status", all.map((record) => record.status ?? "-"));
  fill("agent", "any agent", all.map((record) => record.agent ?? "-"));
  fill("project", "any repository", all.map((record) => project(record) || "-"));
  const facts = [bundle.folder, `scanned ${moment(bundle.generated_at)}`, plural(all.length, "report")];
  $("made").textContent = facts.filter(Boolean).join(" · ");
  $("problems").hidden = !problems().length;
  $("problems").textContent = plural(problems().length, "problem");
  filter();
}

function problems() {
  return (Array.isArray(bundle.problems) ? bundle.problems : []).map((problem) => `${problem?.path}: ${problem?.reason}`);
}

function fill(id, anything, values) {
  const chosen = $(id).value;
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const option = (value, text) => Object.assign(element("option", "", text), { value });
  const options = [...counts].sort().map(([value, count]) => option(value, `${value === "-" ? "not said" : value} (${count})`));
  $(id).replaceChildren(option("", anything), ...options);
  $(id).value = counts.has(chosen) ? chosen : "";
}

function filter() {
  matching = [...records.values()].filter(wanted()).sort(byDay);
  const total = records.size;
  const all = matching.length === total;
  $("count").textContent = all ? plural(total, "report") : `${matching.length.toLocaleString("en")} of ${plural(total, "report")}`;
  $("list").replaceChildren();
  shown = 0;
  showMore();
  $("list").parentElement.scrollTop = 0;
  drawDays();
  if (!openId) open("");
}

function showMore() {
  const next = matching.slice(shown, shown + PAGE);
  let day = shown ? matching[shown - 1].date ?? "" : null;
  for (const record of next) {
    if ((record.date ?? "") !== day) {
      day = record.date ?? "";
      const heading = element("h2", "", weekday(day));
      heading.append(element("span", "", String(matching.filter((other) => (other.date ?? "") === day).length)));
      $("list").append(heading);
    }
    $("list").append(row(record));
  }
  shown += next.length;
  $("more").hidden = shown >= matching.length;
  $("more").textContent = `Show ${Math.min(PAGE, matching.length - shown)} more`;
}

function row(record) {
  const found = element("button", "row");
  found.type = "button";
  found.dataset.id = record.id;
  found.setAttribute("aria-current", String(record.id === openId));
  const dot = element("span", `state ${state(record)}`);
  dot.title = record.status ?? "no status";
  const facts = [record.agent, record.workflow, project(record), duration(record)].filter(Boolean).join(" · ");
  const hint = element("small", "", record.preview || (record.files?.report ? "" : "no report was written"));
  found.append(dot, element("strong", "", record.title), element("small", "", facts), hint);
  return found;
}

/** Bars of how many matching reports each day has, failed ones in red; a click asks for its days. */
function drawDays() {
  const dates = matching.map((record) => record.date).filter(Boolean).sort();
  const svg = $("days");
  svg.replaceChildren();
  if (new Set(dates).size < 2) return;
  const number = (date) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
  const day = (index) => new Date(index * 86_400_000).toISOString().slice(0, 10);
  const first = number(dates[0]);
  const span = number(dates.at(-1)) - first + 1;
  const step = Math.ceil(span / 90);
  const bars = Array.from({ length: Math.ceil(span / step) }, () => ({ all: 0, bad: 0 }));
  for (const record of matching) {
    if (!record.date) continue;
    const bar = bars[Math.floor((number(record.date) - first) / step)];
    bar.all += 1;
    bar.bad += state(record) === "bad" ? 1 : 0;
  }
  const most = Math.max(...bars.map((bar) => bar.all));
  const [wide, high] = [Math.min(10, 900 / bars.length), 34];
  svg.setAttribute("viewBox", `0 0 ${Math.max(bars.length * wide, 400)} ${high}`);
  svg.setAttribute("preserveAspectRatio", "xMinYMax meet");
  bars.forEach((bar, index) => {
    const [from, to] = [day(first + index * step), day(Math.min(first + span - 1, first + (index + 1) * step - 1))];
    const group = shape("g", {});
    const label = shape("title", {});
    label.textContent = `${from === to ? from : `${from} to ${to}`}: ${plural(bar.all, "report")}${bar.bad ? `, ${bar.bad} failed` : ""}`;
    const tall = bar.all && Math.max(3, (bar.all / most) * high);
    const red = bar.bad && Math.max(2, (bar.bad / bar.all) * tall);
    const place = { x: index * wide, width: Math.max(1, wide - 1.5) };
    group.append(label, shape("rect", { class: "hit", x: index * wide, width: wide, y: 0, height: high }));
    group.append(shape("rect", { ...place, y: high - tall, height: tall - red, rx: 1 }));
    group.append(shape("rect", { ...place, class: "bad", y: high - red, height: red, rx: 1 }));
    group.addEventListener("click", () => {
      [$("since").value, $("until").value] = [from, to];
      filter();
    });
    svg.append(group);
  });
}
