// `node scripts/run.mjs FILE [arguments]` runs one of the project's TypeScript programs, such as those in bench/. It works with Node 20 or
// newer.
import { runChild } from "./run-program.mjs"
import { ensureBuilt, ensureInstalled } from "./setup.mjs"

const [file] = process.argv.splice(2, 1)
if (file === undefined) {
  process.stderr.write("Name the program to run: node scripts/run.mjs FILE [arguments]\n")
  process.exit(2)
}
ensureInstalled({ tools: true })
ensureBuilt()
runChild(file)
