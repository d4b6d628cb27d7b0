// `npm run box`: the box's command line.
import { runBuilt } from "./run-program.mjs"

await runBuilt("cli.js")
