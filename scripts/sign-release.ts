// Signs the output of `npm run package`: `npm run sign-release -- PRIVATE.pem out/packages`. The key, created once with `npm run
// sign-release -- --new-key PRIVATE.pem`, must stay outside the project; its public half is resources/update-key.pem.
import { createPrivateKey, generateKeyPairSync } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import { parseUpdateInfo } from "electron-updater/out/providers/Provider.js"
import { signRelease } from "../src/main/updates/signed-release.ts"

const root = join(import.meta.dirname, "..")
const platforms: Record<string, string> = { latest: "win32", "latest-mac": "darwin", "latest-linux": "linux" }

/** Writes a new pair: the private key, readable only by its owner, and the public one at `publicPath`. */
export function writeNewKey(privatePath: string, publicPath: string): void {
  if (!relative(root, resolve(privatePath)).startsWith(".."))
    throw new Error("The private key must be kept outside of the project.")
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "pem" })
  writeFileSync(privatePath, pkcs8, { flag: "wx", mode: 0o600 })
  writeFileSync(publicPath, publicKey.export({ type: "spki", format: "pem" }))
}

/** Signs every `latest*.yml` in a directory and returns their names. Throws if there is none, or if one is already signed. */
export function signReleases(directory: string, privatePem: string): string[] {
  const key = createPrivateKey(privatePem)
  const names = readdirSync(directory).filter((name) => /^latest(-mac|-linux(-\w+)?)?\.yml$/.test(name))
  if (names.length === 0) throw new Error(`There is no latest*.yml in ${directory}.`)
  for (const name of names) {
    const path = join(directory, name)
    const channel = basename(name, ".yml").replace(/^(latest-linux)-\w+$/, "$1")
    const text = `${readFileSync(path, "utf8").trimEnd()}\nplatform: ${platforms[channel]}\n`
    const release = { ...parseUpdateInfo(text, name, new URL(`file://${path}`)) }
    if ("signature" in release) throw new Error(`${name} is signed already.`)
    writeFileSync(path, `${text}signature: ${signRelease(release, key)}\n`)
  }
  return names
}

if (import.meta.main) {
  const [first = "", second = ""] = process.argv.slice(2)
  if (second === "") {
    process.stderr.write("Usage: sign-release.ts --new-key PRIVATE.pem | PRIVATE.pem DIRECTORY\n")
    process.exit(2)
  }
  if (first === "--new-key") writeNewKey(second, join(root, "resources", "update-key.pem"))
  else process.stdout.write(`Signed ${signReleases(second, readFileSync(first, "utf8")).join(", ")}\n`)
}
