import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer, request, type Server } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AppUpdater } from "electron-updater"
import { afterEach, beforeEach, expect, test } from "vitest"
import { signReleases, writeNewKey } from "../../../scripts/sign-release.ts"
import { checkFiles, requireSignature } from "./signed-release.ts"

// Uses electron-updater's own parts, but with Node's HTTP in place of Chromium's.
const require = createRequire(import.meta.url)
const requireFromUpdater = createRequire(require.resolve("electron-updater"))
const { AppImageUpdater } = require("electron-updater/out/AppImageUpdater.js") as {
  AppImageUpdater: new (options: null, app: object) => AppUpdater & { httpExecutor: object }
}
interface Transfer {
  cancellationToken: {
    createPromise(run: (...hooks: ((value: unknown) => void)[]) => void): Promise<unknown>
  }
}
const { HttpExecutor, CancellationToken, configureRequestUrl } = requireFromUpdater(
  "builder-util-runtime",
) as {
  HttpExecutor: new () => { doDownload(request: object, transfer: object, redirects: number): void }
  CancellationToken: new () => never
  configureRequestUrl(url: URL, request: object): void
}
class NodeHttp extends HttpExecutor {
  createRequest = (options: object, answered: (response: unknown) => void) =>
    request({ ...options, protocol: "http:" }, answered)

  download = (url: URL, destination: string, options: Transfer) =>
    options.cancellationToken.createPromise((resolve, reject, onCancel) => {
      const asked = {}
      configureRequestUrl(url, asked)
      const callback = (error: unknown) => (error == null ? resolve?.(destination) : reject?.(error))
      this.doDownload(asked, { destination, options, onCancel, callback, responseHandler: null }, 0)
    })
}

const program = Buffer.alloc(200_000, "new version ")
let directory: string
let feed: string
let server: Server
let privateKey: string
let publicKey: KeyObject
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "updates-"))
  feed = join(directory, "feed")
  await mkdir(feed)
  await writeFile(join(directory, "installed.AppImage"), "old version")
  process.env["APPIMAGE"] = join(directory, "installed.AppImage")
  const paths = [join(directory, "private.pem"), join(directory, "public.pem")] as const
  writeNewKey(...paths)
  privateKey = await readFile(paths[0], "utf8")
  publicKey = createPublicKey(await readFile(paths[1]))
  server = createServer((asked, answer) => {
    const path = join(feed, new URL(asked.url ?? "", "http://feed").pathname)
    readFile(path).then(
      (content) => answer.end(content),
      () => answer.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterEach(async () => {
  delete process.env["APPIMAGE"]
  server.closeAllConnections()
  server.close()
  await rm(directory, { recursive: true, force: true })
})

const yml = () => join(feed, process.arch === "x64" ? "latest-linux.yml" : `latest-linux-${process.arch}.yml`)
const change = async (from: string | RegExp, to: string) =>
  writeFile(yml(), (await readFile(yml(), "utf8")).replaceAll(from, to))

/** Writes a release as electron-builder does. */
async function release(version: string) {
  const sha512 = createHash("sha512").update(program).digest("base64")
  const name = `Casella-${version}.AppImage`
  await writeFile(join(feed, name), program)
  await writeFile(
    yml(),
    `version: ${version}\nfiles:\n  - url: ${name}\n    sha512: ${sha512}\n    size: ${program.length}\npath: ${name}\nsha512: ${sha512}\nreleaseDate: '2026-11-22T08:00:00.000Z'\n`,
  )
}
const sign = (key = privateKey) => signReleases(feed, key)

/** Checks the feed and downloads a new release, as the program does. Returns the version, or null if there is none. */
async function update(platform = "linux"): Promise<string | null> {
  const { port } = server.address() as AddressInfo
  const updater = new AppImageUpdater(null, {
    version: "1.4.0",
    name: "casella",
    isPackaged: true,
    appUpdateConfigPath: join(directory, "app-update.yml"),
    userDataPath: directory,
    baseCachePath: directory,
    whenReady: () => Promise.resolve(),
    onQuit: () => undefined,
  })
  await writeFile(join(directory, "app-update.yml"), "updaterCacheDirName: cache\n")
  updater.httpExecutor = new NodeHttp()
  updater.setFeedURL({ provider: "generic", url: `http://127.0.0.1:${port}` })
  updater.logger = null
  updater.disableDifferentialDownload = true
  updater.on("error", () => undefined)
  const signed = requireSignature(updater, publicKey, platform)
  const found = await updater.checkForUpdates()
  if (!found?.isUpdateAvailable) return null
  await signed.downloadUpdate(new CancellationToken())
  return found.updateInfo.version
}

/** Lists the programs that were downloaded and could be installed. */
async function downloaded(): Promise<string[]> {
  if (!existsSync(join(directory, "cache"))) return []
  const names = await readdir(join(directory, "cache"), { recursive: true })
  return names.filter((name) => name.endsWith(".AppImage"))
}

test("downloads a release that is signed with the key", async () => {
  await release("1.5.0")
  expect(sign()).toHaveLength(1)
  expect(await update()).toBe("1.5.0")
  expect(await downloaded()).toHaveLength(1)
})

// Catches a release packaged without its `latest*.yml` that a script reports as signed.
test("can't sign a directory without a release", () => {
  expect(() => sign()).toThrow("There is no latest*.yml")
})

const otherKey = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()
const otherHash = createHash("sha512").update("other").digest("base64")

// Catches a feed, or someone who has compromised its server, that installs another program.
test.each<[string, RegExp, () => Promise<unknown>]>([
  ["isn't signed", /isn't signed/, () => release("1.5.0")],
  ["is signed with another key", /signature/, () => release("1.5.0").then(() => sign(otherKey))],
  [
    "names another program",
    /signature/,
    () => signed().then(() => change(/sha512: .*/g, `sha512: ${otherHash}`)),
  ],
  ["wears an old signature", /signature/, () => signed().then(() => change("1.5.0", "1.6.0"))],
  ["has another date", /signature/, () => signed().then(() => change("2026-11-22", "2027-11-22"))],
  [
    "wants to be administrator",
    /signature/,
    () => signed().then(() => change("    size:", "    isAdminRightsRequired: true\n    size:")),
  ],
  ["is older than what runs", /isn't newer/, () => release("1.3.9").then(() => sign())],
  ["is a preview", /isn't signed/, () => release("1.5.0-beta.1").then(() => sign())],
  [
    "has another program behind it",
    /sha512/,
    () =>
      signed().then(() => writeFile(join(feed, "Casella-1.5.0.AppImage"), Buffer.alloc(program.length, "x"))),
  ],
  [
    "ends too early",
    /sha512/,
    () => signed().then(() => writeFile(join(feed, "Casella-1.5.0.AppImage"), program.subarray(0, 100_000))),
  ],
])("leaves nothing to install from a release that %s", async (_, reason, prepare) => {
  await prepare()
  await expect(update()).rejects.toThrow(reason)
  expect(await downloaded()).toEqual([])
  expect(await readFile(join(directory, "installed.AppImage"), "utf8")).toBe("old version")
})
const signed = () => release("1.5.0").then(() => sign())

test("refuses a release for another system", async () => {
  await signed()
  await expect(update("win32")).rejects.toThrow("another system")
})

// Catches a program that is replaced after its download, and an updater that doesn't verify the downloaded file.
test("verifies the file on disk again", async () => {
  const path = join(directory, "program")
  const sha512 = createHash("sha512").update(program).digest("base64")
  const file = { url: "x", sha512, size: program.length }
  const signedRelease = { version: "1.5.0", platform: "linux", releaseDate: "", signature: "", files: [file] }
  await writeFile(path, program)
  await checkFiles([path], signedRelease)
  await writeFile(path, program.subarray(1))
  await expect(checkFiles([path], signedRelease)).rejects.toThrow("isn't what was signed")
})

// Catches a private key that is added to the repository, or that other users of the computer can read.
test("keeps the private key private, outside the project and never overwritten", async () => {
  const path = join(directory, "private.pem")
  expect((await stat(path)).mode & 0o077).toBe(0)
  expect(createPrivateKey(privateKey).asymmetricKeyType).toBe("ed25519")
  expect(() => writeNewKey(path, join(directory, "public.pem"))).toThrow("EEXIST")
  expect(() => writeNewKey("key.pem", join(directory, "public.pem"))).toThrow("outside of the project")
})
