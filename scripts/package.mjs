// `npm run package` builds the installers for this computer's system, in out/packages. Arguments are passed to electron-builder.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { locateElectron } from "./electron-binary.mjs"
import { ensureBuilt, ensureInstalled, nodeProgram, environment, root, run } from "./setup.mjs"

const say = (text) => process.stderr.write(`${text}\n`)
const downloadLimitMs = 10 * 60_000
const electron = join(root, "node_modules", "electron")

/**
 * Arguments for electron-builder, in addition to the user's. Deletes empty signing variables from `env`, because a CI service passes an
 * unset secret as an empty string, which electron-builder would use as the path of a certificate.
 */
export function builderArguments(platform, env) {
  for (const name of Object.keys(env))
    if (/^(WIN_)?CSC_|^APPLE_/.test(name) && env[name] === "") delete env[name]
  // Apple silicon refuses unsigned programs. Set CSC_NAME to use a certificate from the keychain.
  const isAdHoc = platform === "darwin" && !env.CSC_LINK && !env.CSC_NAME
  return [
    "--config",
    "build/electron-builder.yml",
    "--publish",
    "never",
    ...(isAdHoc ? ["-c.mac.identity=-"] : []),
  ]
}

function makePackages() {
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
  run("electron-builder", [...builderArguments(process.platform, process.env), ...process.argv.slice(2)])
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) makePackages()
