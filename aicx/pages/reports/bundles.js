// Bundles of `aicx reports`: checked, merged, exported.

const SCHEMA = "aicx.reports/1";
const TEXTS = [
  "title", "path", "scanned_at", "date", "org", "repo", "agent", "status", "workflow", "lane", "mode", "run_id",
  "prompt_id", "session_id", "skill_code", "model", "started_at", "completed_at", "updated_at", "preview", "detail",
  "transcript_tail",
];
const NUMBERS = ["token_usage", "findings_count", "exit_code", "transcript_bytes"];
const LONGEST = 200_000; // characters of any one text; what aicx writes is shorter

/** What is wrong with a record, or "" when it can be shown. */
function flaw(record) {
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(record)) return "is no object";
  if (typeof record.id !== "string" || !/^[0-9a-f]{16}$/.test(record.id)) return "has no id";
  if (typeof record.title !== "string") return "has no title";
  for (const name of TEXTS) {
    if (name in record && typeof record[name] !== "string") return `${name} is no text`;
    if (record[name]?.length > LONGEST) return `${name} is longer than ${LONGEST} characters`;
  }
  for (const name of NUMBERS) if (name in record && !Number.isFinite(record[name])) return `${name} is no number`;
  const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
  if ("date" in record && !isDay(record.date)) return "date is no day";
  const lists = { headings: (item) => isObject(item) && typeof item.text === "string" && Number.isInteger(item.level),
    problems: (item) => typeof item === "string" };
  for (const [name, fits] of Object.entries(lists)) {
    if (name in record && !(Array.isArray(record[name]) && record[name].every(fits))) return `${name} cannot be read`;
  }
  const files = record.files ?? {};
  return isObject(files) && Object.values(files).every((name) => typeof name === "string") ? "" : "files cannot be read";
}

/** A bundle's text as {bundle, good, refused}; throws an Error that says why it is no bundle. */
function readBundle(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error("is not JSON");
  }
  if (found?.schema !== SCHEMA) throw new Error(`is no bundle of aicx reports (its schema is not ${SCHEMA})`);
  if (!Array.isArray(found.records)) throw new Error("holds no records");
  const good = [];
  const refused = [];
  found.records.forEach((record, index) => {
    const reason = flaw(record);
    if (reason) refused.push(`record ${index + 1} ${reason}`);
    else good.push(record);
  });
  return { bundle: found, good, refused };
}

/** Puts records beside those that are here; of two with one id the newer stays. Returns how many went which way. */
function merge(incoming) {
  const count = { added: 0, newer: 0, older: 0, same: 0 };
  const content = (record) => JSON.stringify(Object.entries({ ...record, scanned_at: "" }).sort());
  for (const record of incoming) {
    const here = records.get(record.id);
    const way = !here ? "added" : content(here) === content(record) ? "same" : isNewer(record, here) ? "newer" : "older";
    count[way] += 1;
    if (way === "added" || way === "newer") records.set(record.id, record);
  }
  return count;
}

/** By when the workflow last said something of itself; else by when the folder was read. */
function isNewer(one, other) {
  const changed = (record) => Date.parse(record.updated_at ?? record.completed_at ?? record.started_at) || 0;
  return (changed(one) - changed(other) || (Date.parse(one.scanned_at) || 0) - (Date.parse(other.scanned_at) || 0)) > 0;
}

async function importFiles(files) {
  const lines = [];
  let failed = false;
  for (const file of files) {
    try {
      const { good, refused } = readBundle(await file.text());
      const { added, newer, older, same } = merge(good);
      const ways = [[added, "new"], [newer, "replaced by a newer one"], [older, "older than here, left out"],
        [same, "here already"]];
      const said = ways.filter(([number]) => number).map(([number, way]) => `${number} ${way}`).join(", ");
      lines.push(`${file.name}: ${plural(good.length, "report")}${said && `: ${said}`}.`);
      for (const reason of refused.slice(0, 3)) lines.push(`${file.name}: ${reason}; it was left out.`);
      if (refused.length > 3) lines.push(`${file.name}: ${refused.length - 3} more records were left out.`);
      failed ||= refused.length > 0;
    } catch (error) {
      lines.push(`${file.name} ${error.message}. Nothing of it was taken in.`);
      failed = true;
    }
  }
  if (!lines.length) return;
  notify(lines.join("\n"), failed);
  refresh();
  if (openId) open(openId);
}

function exportBundle() {
  const all = [...records.values()].sort(byDay);
  const whole = { schema: SCHEMA, ...bundle, filters: {}, found: all.length, matched: all.length, records: all };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(whole)], { type: "application/json" }));
  link.download = `reports-${(bundle.generated_at ?? "").slice(0, 10) || "merged"}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  notify(`${plural(all.length, "report")} exported as ${link.download}.`);
}

function notify(text, bad = false) {
  $("notice").hidden = false;
  $("notice").classList.toggle("bad", bad);
  $("notice").querySelector("p").textContent = text;
}
