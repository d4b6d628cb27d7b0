import { existsSync } from "node:fs"
import { rename, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { temporaryPath } from "./data-layout.ts"
import { syncDirectory } from "./files/durable-file.ts"
import { newId } from "./ids.ts"
import type { Logger } from "./logging/logger.ts"
import { readSmallFile } from "./files/file-contents.ts"
import { readStored } from "./database/sql-helpers.ts"
import { makeDirectoryInside } from "./files/path-jail.ts"

/** Key of the stored value that exists if secrets are encrypted in the rows. */
export const sealedCheck = "secretsSealed"

/** Tokens and keys of other services, by name. */
export interface SecretStore {
  /** Returns null if there is no secret of that name, or if it was encrypted on another computer or for another user. */
  get(name: string): Promise<string | null>
  /** Durable when it settles. */
  set(name: string, value: string): Promise<void>
  delete(name: string): Promise<void>
  /** Returns the names of all secrets. */
  names(): Promise<string[]>
}

/** The system's encryption, which only this user on this computer can reverse. */
export interface Seal {
  /** Returns text that `open` accepts. */
  close(value: string): Promise<string>
  open(sealed: string): Promise<string>
}

const Entries = z.array(
  z.union([
    z.strictObject({ name: z.string(), sealed: z.string() }),
    z.strictObject({ name: z.string(), plain: z.string() }),
  ]),
)
type Entries = z.infer<typeof Entries>

/**
 * Keeps secrets in a file that only its owner can read. Without a seal the values are stored unencrypted, so that anyone who gets the file
 * can read them, and the log warns about this. Throws if the file can't be read or doesn't contain secrets; it is never overwritten then.
 *
 * @param requireIntact throws if its directory doesn't belong to the box any more, because the secrets there are someone else's
 */
export function openSecretFile(
  path: string,
  logger: Logger,
  seal: Seal | null = null,
  requireIntact: () => void = () => undefined,
): SecretStore {
  let warned = false
  /** Changes run one after another, so that none overwrites another. */
  let last: Promise<unknown> = Promise.resolve()

  async function read(): Promise<Entries> {
    if (!existsSync(path)) return []
    const text = await readSmallFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EISDIR") return ""
      throw error
    })
    const entries = readStored(Entries, text)
    if (entries) return entries
    throw new AppError("unprocessable", sentence("core.secrets_damaged"))
  }

  function change(name: string, make: () => Promise<Entries>): Promise<void> {
    const done = last.then(async () => {
      requireIntact()
      const others = (await read()).filter((entry) => entry.name !== name)
      await write(path, [...others, ...(await make())])
    })
    last = done.catch(() => undefined) // the caller handles the error
    return done
  }

  return {
    async get(name) {
      const entry = (await read()).find((entry) => entry.name === name)
      if (entry === undefined) return null
      if ("plain" in entry) return entry.plain
      if (!seal) return null
      return seal.open(entry.sealed).catch((error: unknown) => {
        logger.warn({ err: error, name }, "A secret was encrypted with another key and can't be decrypted")
        return null
      })
    },
    set(name, value) {
      if (!seal && !warned) {
        warned = true
        logger.warn({ path }, "Secrets are stored unencrypted, readable by your user account only")
      }
      return change(name, async () => [
        seal ? { name, sealed: await seal.close(value) } : { name, plain: value },
      ])
    },
    delete: (name) => change(name, () => Promise.resolve([])),
    names: async () => (await read()).map(({ name }) => name),
  }
}

async function write(path: string, entries: Entries): Promise<void> {
  const directory = dirname(path)
  const staging = temporaryPath(directory)
  await makeDirectoryInside(directory, [basename(staging)])
  const partial = join(staging, newId())
  try {
    await writeFile(partial, JSON.stringify(entries), { flag: "wx", mode: 0o600, flush: true })
    await rename(partial, path)
  } finally {
    await rm(partial, { force: true }) // incomplete if the disk was full
  }
  await syncDirectory(directory)
}
