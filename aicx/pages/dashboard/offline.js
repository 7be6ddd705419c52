// The page as a file: everything it shows is in it, and it asks nobody.

import { start } from "./app.js";
import { embedded } from "./embedded.js";

start(embedded(JSON.parse(document.getElementById("data").textContent)));
