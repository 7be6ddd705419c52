// Where the page's data comes from: the server that served it. `embedded.js` offers the same for a page in a file.

const TOKEN = "aicx-token";

// What went wrong, in words for people, with the next step where there is one.
class Failure extends Error {
  constructor(message, hint = null, status = 0) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

// The token comes once, in the address that `aicx serve page` prints; it is taken out of it at once.
export function takeToken() {
  const given = /[#&]token=([^&]+)/.exec(location.hash);
  if (!given) return;
  sessionStorage.setItem(TOKEN, decodeURIComponent(given[1]));
  history.replaceState(null, "", location.pathname);
}

export const server = {
  offline: false,
  status: (signal) => get("/api/status", {}, signal),
  overview: (asked, signal) => get("/api/overview", asked, signal),
  browse: (asked, signal) => get("/api/browse", asked, signal),
  search: (asked, signal) => get("/api/search/semantic", asked, signal),
  why: (asked, signal) => get("/api/why", asked, signal),
  work: (asked, signal) => get("/api/work", asked, signal),
  sessionTimeline: (asked, signal) => get("/api/timeline/session", asked, signal),
  repositoryTimeline: (asked, signal) => get("/api/timeline/repository", asked, signal),
  memory: (asked, signal) => get("/api/memory", asked, signal),
  detail: (asked, signal) => get("/api/detail", asked, signal),
  // Starts what `aicx store` does.
  regenerate: () => request("/api/regenerate", { method: "POST", headers: { "X-Aicx-Action": "regenerate" } }),
};

function get(path, asked, signal) {
  const set = Object.entries(asked).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return request(set.length ? `${path}?${new URLSearchParams(set)}` : path, { signal });
}

// What the server says of a parameter or of a bug is for programs; a person gets what it means for them.
function inWords(status, body) {
  const name = status === 400 && /^(?:unknown parameter )?'?(\w+)'?(?:: Input should|: Value|: String|$)/.exec(body?.error ?? "")?.[1];
  if (name) return [`This address holds a value for “${name}” that cannot be used.`, "Clear the filters, or go back to Search."];
  if (status === 500) return ["Something went wrong in aicx itself.", "aicx doctor"];
  return [body?.error ?? "The server gave an answer that this page does not understand.", body?.hint ?? null];
}

async function request(path, options) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${token}` }) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The server does not answer.", "aicx serve page");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body?.ok) return body;
  if (response.status === 401) {
    throw new Failure(
      "This page does not know the server's token. Open the address that aicx serve page prints.",
      "aicx serve page",
      401,
    );
  }
  const [said, hint] = inWords(response.status, body);
  throw new Failure(said, hint, response.status);
}
