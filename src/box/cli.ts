import { startsBox } from "./commands/arguments.ts"
import { becomeLean } from "./core/lean-process.ts"

const args = process.argv.slice(2)
if (startsBox(args)) becomeLean()
// only now: everything that is loaded before would be loaded twice
const { runCommandLine } = await import("./commands/command-line.ts")
await runCommandLine(args)
