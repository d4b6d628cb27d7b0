// `npm run auth`: the auth service's command line.
import { runBuilt } from "./run-program.mjs"

await runBuilt("auth.js")
