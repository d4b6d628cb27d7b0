// `npm run auth`: sets up what is missing, then runs the auth service's command line on the pinned Node.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { endWithNpm } from "./end-with-npm.mjs"
import { ensureBuilt, ensureInstalled, environment, pinnedNode, root } from "./setup.mjs"

ensureInstalled()
ensureBuilt()
endWithNpm()
const cli = join(root, "out", "main", "auth.js")

if (Number(process.versions.node.split(".")[0]) >= 24) {
  // Same process, so that signals and the pid are the service's own.
  process.argv[1] = cli
  await import(pathToFileURL(cli).href)
} else {
  const service = spawn(pinnedNode(), [cli, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: environment(),
  })
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => service.kill(signal))
  service.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}
