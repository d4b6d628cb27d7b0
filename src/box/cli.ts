import { startsBox } from "./commands/arguments.ts"
import { reexecWithMemoryFlags, optimiseForStart } from "./core/process/memory-flags.ts"

process.umask(0o077) // only the owner may access files that the box and its children write
const args = process.argv.slice(2)
// Code loaded before the process re-executes itself with memory flags is loaded twice.
if (startsBox(args)) {
  reexecWithMemoryFlags()
  optimiseForStart()
  const { listenForStop } = await import("./core/process/stop-signals.ts")
  listenForStop()
  const { cacheCompiledCode } = await import("./core/process/compile-cache.ts")
  cacheCompiledCode()
}
const { runCommandLine } = await import("./commands/command-line.ts")
await runCommandLine(args)
