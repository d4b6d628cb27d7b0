// Sets up what is missing, then runs one of the built command lines on the pinned Node.
import { spawn } from "node:child_process"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { endWithNpm } from "./end-with-npm.mjs"
import { ensureBuilt, ensureInstalled, environment, pinnedNode, root } from "./setup.mjs"

export async function runProgram(file) {
  ensureInstalled()
  ensureBuilt()
  endWithNpm()
  const program = join(root, "out", "main", file)
  if (Number(process.versions.node.split(".")[0]) >= 24) {
    // Same process, so that signals and the pid are the program's own.
    enableCompileCache(join(root, "out", ".compile-cache"))
    await import(pathToFileURL(program).href)
    return
  }
  const child = spawn(pinnedNode(), [program, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: environment(),
  })
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}
