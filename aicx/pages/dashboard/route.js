// What is shown, as an address and back. It lives in the fragment, which browsers send to nobody, and so the same links
// work in a page opened from a file.

export const NOTHING_ASKED = Object.freeze({
  view: "search",
  q: "",
  mode: "auto",
  project: "",
  agent: "",
  kind: "",
  since: "",
  until: "",
  sort: "relevance",
  group: "",
  team: "",
  session: "",
  chunk: "",
  target: "",
});
const VIEWS = ["search", "overview", "why", "memory", "work"];
const FILTERS = ["project", "agent", "kind", "since", "until"];

export function readRoute(fragment) {
  const [path, query] = fragment.replace(/^#\/?/, "").split(/\?(.*)/s);
  const route = { ...NOTHING_ASKED, view: VIEWS.includes(path) ? path : "search" };
  for (const [name, value] of new URLSearchParams(query)) {
    if (name in NOTHING_ASKED && name !== "view") route[name] = value;
  }
  return route;
}

export function writeRoute(route) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(route)) {
    if (name !== "view" && value !== NOTHING_ASKED[name]) asked.set(name, value);
  }
  const path = route.view === "search" ? "" : route.view;
  return asked.size ? `#/${path}?${asked}` : `#/${path}`;
}

export function filtersOf(route) {
  return Object.fromEntries(FILTERS.filter((name) => route[name]).map((name) => [name, route[name]]));
}

export function withoutFilters() {
  return Object.fromEntries(FILTERS.map((name) => [name, ""]));
}
