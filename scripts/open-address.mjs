// Opens a sign-in link. Every user of the computer can read a program's arguments, so the browser gets a file that only this user can read
// and that redirects to the link.
import { spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "./setup.mjs"

/** The file is in the project, not in the temporary directory, because sandboxed browsers can't see that. */
const file = join(root, "out", "open-casella.html")

/** Opens the address in the user's browser; `failed` is called if there is none. */
export function openAddress(address, failed) {
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  const place = JSON.stringify(address).replaceAll("<", "\\u003c")
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><title>Casella</title><script>location.replace(${place})</script>`,
    { flag: "wx", mode: 0o600 },
  )
  const target = pathToFileURL(file).href
  const [command, args] =
    process.platform === "darwin"
      ? ["open", [target]]
      : process.platform === "win32"
        ? ["rundll32", ["url.dll,FileProtocolHandler", target]]
        : ["xdg-open", [target]]
  const opener = spawn(command, args, { stdio: "ignore", detached: true })
  opener.on("error", failed).unref()
}
