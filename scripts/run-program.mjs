import { spawn } from "node:child_process"
import nodeModule from "node:module"
import { constants } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { endWithNpm } from "./end-with-npm.mjs"
import { ensureBuilt, ensureInstalled, environment, isNodeNewEnough, nodeProgram, root } from "./setup.mjs"

/** Sets up anything that is missing, then runs one of the built command lines. */
export async function runBuilt(file) {
  ensureInstalled()
  ensureBuilt()
  endWithNpm()
  const program = join(root, "out", "main", file)
  if (!isNodeNewEnough()) return runChild(program)
  // It runs in the same process, so that signals and the pid are the program's own.
  nodeModule.enableCompileCache(join(root, "out", ".compile-cache"))
  await import(pathToFileURL(program).href)
}

/** Runs a program on the project's Node, with this process's arguments, signals and exit code. */
export function runChild(program) {
  const child = spawn(nodeProgram(), [program, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: environment(),
  })
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
