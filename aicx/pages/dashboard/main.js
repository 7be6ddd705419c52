// The page as the server serves it.

import { start } from "./app.js";
import { server, takeToken } from "./server.js";

takeToken();
start(server);
