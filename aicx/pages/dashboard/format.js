// Numbers, dates and names as people read them. Times are shown in the reader's own time zone.

const WHOLE = new Intl.NumberFormat("en");
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const SPANS = [
  ["year", 365 * 86400],
  ["month", 30.44 * 86400],
  ["week", 7 * 86400],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];
// The folder where work outside any repository is kept is no name that anybody gave.
const NO_REPOSITORY = "non-repository-contexts";

export function count(number) {
  return WHOLE.format(number ?? 0);
}

export function plural(number, noun, several = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : several}`;
}

export function day(instant) {
  return valid(instant) ? DAY.format(new Date(instant)) : "";
}

// A day whose year is said elsewhere.
export function dayOfYear(instant) {
  return day(instant).replace(/ \d{4}$/, "");
}

export function clock(instant) {
  return valid(instant) ? CLOCK.format(new Date(instant)) : "";
}

export function exact(instant) {
  return valid(instant) ? EXACT.format(new Date(instant)) : "";
}

// "3 weeks ago", as of now.
export function ago(instant, now = Date.now()) {
  if (!valid(instant)) return "";
  const seconds = (new Date(instant) - now) / 1000;
  const [unit, length] = SPANS.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
  return RELATIVE.format(Math.round(seconds / length), unit);
}

export function bytes(size) {
  const units = ["bytes", "kB", "MB", "GB"];
  const step = size > 0 ? Math.min(units.length - 1, Math.floor(Math.log10(size) / 3)) : 0;
  return step ? `${(size / 1000 ** step).toFixed(1)} ${units[step]}` : `${count(size)} bytes`;
}

export function projectName(project) {
  return project === NO_REPOSITORY ? "no repository" : project;
}

// Where a session worked: its project, or where that is no repository the last part of its folder's path.
export function placeName(project, cwd) {
  const folder = project === NO_REPOSITORY && cwd?.split(/[\\/]/).findLast(Boolean);
  return folder || projectName(project);
}

// A title is often a prompt's first line: of a Markdown link, the label says enough.
export function plainTitle(title) {
  return (title || "Untitled session").replace(/\[([^\][]+)\]\([^\s()]*(?:\)|$)/g, "$1");
}

function valid(instant) {
  return Boolean(instant) && !Number.isNaN(new Date(instant).getTime());
}
