// Elements, and numbers as people write them.

function element(name, kind = "", text = "") {
  const found = document.createElement(name);
  if (kind) found.className = kind;
  if (text) found.textContent = text;
  return found;
}

function shape(name, attributes) {
  const found = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
}

function moment(instant) {
  const at = new Date(instant ?? "");
  return Number.isNaN(at.getTime()) ? "" : `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function weekday(day) {
  const at = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? "no day" : `${day} ${at.toLocaleDateString("en", { weekday: "short", timeZone: "UTC" })}`;
}

function duration(record) {
  const seconds = Math.round((Date.parse(record.completed_at) - Date.parse(record.started_at)) / 1000);
  if (!(seconds >= 0)) return "";
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function bytes(count) {
  const unit = [[1e9, "GB"], [1e6, "MB"], [1e3, "KB"]].find(([size]) => count >= size);
  return unit ? `${(count / unit[0]).toFixed(1)} ${unit[1]}` : `${count} B`;
}
