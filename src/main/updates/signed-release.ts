import { createHash, type KeyObject, sign, verify } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat, rm } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import type { AppUpdater, CancellationToken } from "electron-updater"
import { z } from "zod"

/** A release as described in a feed's `latest*.yml`. The signature covers all its fields, including those not listed here. */
const SignedRelease = z.looseObject({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  platform: z.string(),
  releaseDate: z.string(),
  files: z.array(z.looseObject({ url: z.string(), sha512: z.string().min(1), size: z.int() })).min(1),
  signature: z.string(),
})
type SignedRelease = z.infer<typeof SignedRelease>

interface Trust {
  /** Casella's own public key. */
  key: KeyObject
  platform: string
  /** The running version. */
  current: string
}

/** Returns the signed data: every field except the signature, with sorted keys, so that the order in the file doesn't matter. */
function statement(release: Record<string, unknown>): Buffer {
  const rest = Object.fromEntries(Object.entries(release).filter(([name]) => name !== "signature"))
  const sorted = JSON.stringify(rest, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return Buffer.from(`casella release\n${sorted}`)
}

/** Returns a release's Ed25519 signature, for its `signature` field. */
export const signRelease = (release: Record<string, unknown>, privateKey: KeyObject): string =>
  sign(null, statement(release), privateKey).toString("base64")

/** Returns the release if it is Casella's own, for this system, and newer than the running version. Throws otherwise. */
function checkRelease(release: unknown, { key, platform, current }: Trust): SignedRelease {
  const read = SignedRelease.safeParse(release)
  if (!read.success) throw new Error("The update isn't signed, so it isn't installed.")
  const { data } = read
  if (!verify(null, statement(data), key, Buffer.from(data.signature, "base64")))
    throw new Error("The update's signature isn't Casella's, so it isn't installed.")
  if (data.platform !== platform) throw new Error(`The update is for another system: ${data.platform}.`)
  if (!isNewer(data.version, current))
    throw new Error(`The update is version ${data.version}, which isn't newer than ${current}.`)
  return data
}

function isNewer(version: string, current: string): boolean {
  const [numbers, others] = [version, current].map((text) => text.split(/[.-]/).slice(0, 3).map(Number))
  const first = numbers?.findIndex((number, index) => number !== others?.[index]) ?? -1
  return first >= 0 && (numbers?.[first] ?? 0) > (others?.[first] ?? 0)
}

/** Throws unless each downloaded file belongs to the release. */
export async function checkFiles(paths: readonly string[], { files }: SignedRelease): Promise<void> {
  for (const path of paths) {
    const hash = createHash("sha512")
    await pipeline(createReadStream(path), hash)
    const [sha512, { size }] = [hash.digest("base64"), await stat(path)]
    if (!files.some((file) => file.sha512 === sha512 && file.size === size))
      throw new Error("The downloaded update isn't what was signed, so it isn't installed.")
  }
}

/**
 * Restricts an updater to Casella's own releases. The feed's metadata is verified before the download, and the downloaded file before it
 * may be installed.
 */
export function requireSignature(updater: AppUpdater, key: KeyObject, platform: string = process.platform) {
  let release: SignedRelease | undefined
  const isSupported = updater.isUpdateSupported
  updater.allowDowngrade = false
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.isUpdateSupported = (info) => {
    release = undefined
    release = checkRelease(info, { key, platform, current: updater.currentVersion.version })
    return isSupported(info)
  }
  return {
    async downloadUpdate(cancellation: CancellationToken): Promise<void> {
      if (release === undefined) throw new Error("No signed update was found.")
      const paths = await updater.downloadUpdate(cancellation)
      await checkFiles(paths, release).catch(async (error: unknown) => {
        await Promise.all(paths.map((path) => rm(path, { force: true })))
        throw error
      })
    },
  }
}
