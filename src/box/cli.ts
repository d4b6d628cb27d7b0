import { startsBox } from "./commands/arguments.ts"
import { keepCompiled } from "./core/process/compile-cache.ts"
import { becomeLean } from "./core/process/lean-process.ts"
import { listenForStop } from "./core/process/stop-signals.ts"

process.umask(0o077) // whatever the box and its children write is its owner's alone
const args = process.argv.slice(2)
if (startsBox(args)) {
  becomeLean()
  keepCompiled()
  listenForStop()
}
// only now: everything that is loaded before would be loaded twice
const { runCommandLine } = await import("./commands/command-line.ts")
await runCommandLine(args)
