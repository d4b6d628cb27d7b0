// `npm run auth`: the auth service's command line.
import { runProgram } from "./run-program.mjs"

await runProgram("auth.js")
