// `npm run package`: makes the installers for this computer's system, in out/packages. Arguments go to electron-builder.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { locateElectron } from "./electron-binary.mjs"
import { ensureBuilt, ensureInstalled, nodeProgram, environment, root, run } from "./setup.mjs"

const say = (text) => process.stderr.write(`${text}\n`)
const downloadLimitMs = 10 * 60_000
const electron = join(root, "node_modules", "electron")

ensureInstalled({ tools: true })
ensureBuilt()
if (!locateElectron()) {
  say("Fetching Electron (once, about 120 MB) …")
  spawnSync(nodeProgram(), [join(electron, "install.js")], {
    cwd: root,
    env: environment(),
    stdio: ["ignore", process.stderr, "inherit"],
    timeout: downloadLimitMs,
  })
}
if (!locateElectron()) {
  const { version } = JSON.parse(readFileSync(join(electron, "package.json"), "utf8"))
  say(
    `\nPackaging needs Electron's binary, version ${version} for ${process.platform}-${process.arch}, and it couldn't be fetched.\n` +
      "It comes from github.com/electron/electron/releases: allow that address, or name a mirror in ELECTRON_MIRROR,\n" +
      `or unpack the archive into ${join(electron, "dist")} and write the program's path in it to ${join(electron, "path.txt")}.`,
  )
  process.exit(1)
}
run("electron-builder", ["--config", "build/electron-builder.yml", ...process.argv.slice(2)])
