import { startsBox } from "./commands/arguments.ts"
import { becomeLean, startLean } from "./core/process/lean-process.ts"

process.umask(0o077) // whatever the box and its children write is its owner's alone
const args = process.argv.slice(2)
// Whatever is loaded before the process has become lean is loaded twice.
if (startsBox(args)) {
  becomeLean()
  startLean()
  const { listenForStop } = await import("./core/process/stop-signals.ts")
  listenForStop()
  const { keepCompiled } = await import("./core/process/compile-cache.ts")
  keepCompiled()
}
const { runCommandLine } = await import("./commands/command-line.ts")
await runCommandLine(args)
