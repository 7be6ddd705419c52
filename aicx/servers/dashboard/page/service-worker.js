// Keeps the page's own files, so that it opens and says what to do when the server is not running. Data is never kept,
// and a running server is always asked first.

const KEPT = "aicx-page";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const isOurs = pathname === "/" || pathname === "/manifest.webmanifest" || pathname.startsWith("/assets/");
  if (event.request.method === "GET" && isOurs) event.respondWith(freshOrKept(event.request));
});

async function freshOrKept(request) {
  const kept = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    if (response.ok) await kept.put(request, response.clone());
    return response;
  } catch (error) {
    const copy = await kept.match(request);
    if (copy) return copy;
    throw error;
  }
}
