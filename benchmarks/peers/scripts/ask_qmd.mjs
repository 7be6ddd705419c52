// qmd as a library: one SQLite file over a folder of Markdown files, asked by BM25. As loop.py has it: a line of JSON
// for each request and each answer.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { basename, join } from "node:path";
import { mkdirSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

console.log = console.info = console.error; // whatever it prints must not stand between the answers

const require = createRequire(join(process.env.PEER_PREFIX, "package.json"));
const folder = join(process.env.PEER_PREFIX, "node_modules", "@tobilu", "qmd");
const entry = require(join(folder, "package.json")).main;
const { createStore } = await import(pathToFileURL(join(folder, entry)).href);

let store;

async function answer(request) {
  const dbPath = join(request.work ?? "", "index", "qmd.sqlite");
  switch (request.do) {
    case "build": {
      mkdirSync(join(request.work, "index"), { recursive: true });
      const collections = { documents: { path: join(request.work, "documents"), pattern: "**/*.md" } };
      const built = await createStore({ dbPath, config: { collections } });
      await built.update();
      await built.close();
      return {};
    }
    case "open":
      store = await createStore({ dbPath });
      return {};
    default: {
      const found = await store.searchLex(request.text, { limit: request.limit });
      return { found: found.map((row) => Number(basename(row.displayPath, ".md"))) };
    }
  }
}

// A queue of one: a request is answered before the next is begun.
let last = Promise.resolve();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    last = last.then(async () => {
      let said;
      try {
        said = await answer(JSON.parse(line));
      } catch (error) {
        said = { error: String(error).slice(0, 500) };
      }
      const peak = process.resourceUsage().maxRSS * 1024;
      writeSync(1, JSON.stringify({ ...said, peak }) + "\n");
    });
  })
  .on("close", () => process.exit(0)); // nobody is left to answer
