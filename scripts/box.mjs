// `npm run box`: the box's command line.
import { runProgram } from "./run-program.mjs"

await runProgram("cli.js")
