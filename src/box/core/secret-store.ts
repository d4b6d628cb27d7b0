import { existsSync } from "node:fs"
import { open, readFile, rename } from "node:fs/promises"
import { dirname, join } from "node:path"
import { z } from "zod"
import { partialPrefix, syncDirectory } from "./durable-file.ts"
import { newId } from "./ids.ts"
import type { Logger } from "./logger.ts"

/** Tokens and keys of other services, by name. */
export interface SecretStore {
  /** Null when there is none of that name, or when it was sealed on another computer or for another user. */
  get(name: string): Promise<string | null>
  /** Durable when it settles. */
  set(name: string, value: string): Promise<void>
  delete(name: string): Promise<void>
}

/** Something of the system's that only this user on this computer can open again. */
export interface Seal {
  /** Answers text, which `open` takes. */
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
 * Secrets in one file that only its owner may read. Without a seal the values stand in it as they are: then whoever
 * gets the file has them, and the log says so. Throws when the file can't be read or isn't one of secrets: it is
 * never overwritten then.
 */
export function openSecretFile(path: string, logger: Logger, seal: Seal | null = null): SecretStore {
  let warned = false
  /** Changes go one after the other, so that none undoes another. */
  let last: Promise<unknown> = Promise.resolve()

  async function read(): Promise<Entries> {
    return existsSync(path) ? Entries.parse(JSON.parse(await readFile(path, "utf8"))) : []
  }

  function change(name: string, make: () => Promise<Entries>): Promise<void> {
    const done = last.then(async () => {
      const others = (await read()).filter((entry) => entry.name !== name)
      await write(path, [...others, ...(await make())])
    })
    last = done.catch(() => undefined) // whoever asked for it hears of it
    return done
  }

  return {
    async get(name) {
      const entry = (await read()).find((entry) => entry.name === name)
      if (entry === undefined) return null
      if ("plain" in entry) return entry.plain
      if (!seal) return null
      return seal.open(entry.sealed).catch((error: unknown) => {
        logger.warn({ err: error, name }, "A secret was sealed elsewhere and can't be opened")
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
  }
}

async function write(path: string, entries: Entries): Promise<void> {
  const directory = dirname(path)
  const partial = join(directory, `${partialPrefix}${newId()}`)
  const file = await open(partial, "wx", 0o600)
  try {
    await file.writeFile(JSON.stringify(entries))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(partial, path)
  await syncDirectory(directory)
}
