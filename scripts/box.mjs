// `npm run box`: sets up what is missing, then runs the box's command line on the pinned Node.
import { spawn } from "node:child_process"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { ensureBuilt, ensureInstalled, environment, pinnedNode, root } from "./setup.mjs"

ensureInstalled()
ensureBuilt()
const cli = join(root, "out", "main", "cli.js")

if (Number(process.versions.node.split(".")[0]) >= 24) {
  // Same process, so that signals and the pid are the box's own.
  process.argv[1] = cli
  enableCompileCache(join(root, "out", ".compile-cache"))
  await import(pathToFileURL(cli).href)
} else {
  const box = spawn(pinnedNode(), [cli, ...process.argv.slice(2)], { stdio: "inherit", env: environment() })
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => box.kill(signal))
  box.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}
