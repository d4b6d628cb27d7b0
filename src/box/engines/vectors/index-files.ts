import { randomUUID } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import {
  tablesIn,
  type TablesLocation,
  isGeneration,
  newGeneration,
  removeOthers,
  tablesOn,
  type TableStore,
} from "./tables-location.ts"
import type { IndexLogger } from "./passage-record.ts"
import { freeNewName, readSmallFile } from "../../core/files/file-contents.ts"

/** Raise this when the table's columns or the text analysis change. The index is then rebuilt. */
const schemaVersion = 3
const quarantineRetentionMs = 7 * 24 * 3_600_000

export interface IndexModel {
  modelId: string
  dimensions: number
}

/**
 * The condition of the files at start: `clean` files are used as they are, `unclean` ones are compared with the passages, and `absent` ones
 * are rebuilt.
 */
export type IndexCondition = "clean" | "unclean" | "absent"

/** The index stamp in the database. It equals the stamp of the index that matched the database when both were last closed. */
export interface IndexStamp {
  read(): Promise<string | null>
  write(stamp: string): Promise<void>
  remove(): Promise<void>
}

interface Description {
  schemaVersion: number
  model: IndexModel | null
  /** Written as `false` before the first change and as `true` after the last one. */
  clean: boolean
  /** Identifies this index's tables on the object store. */
  generation?: string | undefined
  /** Random, and new each time the index becomes clean. An older copy of the index or of the database has a different one. */
  stamp?: string | undefined
}

interface IndexFilesOptions {
  directory: string
  model: IndexModel | undefined
  stamp: IndexStamp | undefined
  /** Store that holds the tables instead of the directory. */
  store?: TableStore | undefined
  /** Whether the directory still belongs to this box. */
  isInPlace(): boolean
  logger: Pick<IndexLogger, "warn">
}

/** Manages the directory of the index: its files, whether they can be trusted, and their quarantine if not. */
export function createIndexFiles(options: IndexFilesOptions) {
  const { directory, model, stamp, store, isInPlace, logger } = options
  const descriptionPath = join(directory, "index.json")
  const quarantine = `${directory}.broken`
  const copiesPath = join(directory, "copies")
  let generation = store && newGeneration()
  let copies: ReturnType<typeof openCopies> | undefined
  const describe = (clean: boolean, indexStamp?: string): Description => ({
    schemaVersion,
    model: model ?? null,
    clean,
    stamp: indexStamp,
    generation,
  })

  async function openCopies(of: { store: TableStore; generation: string }) {
    const { openTableCopies } = await import("./table-copies.ts")
    return openTableCopies({ directory: copiesPath, ...of, isInPlace, logger })
  }

  /** Returns the location of the tables on the object store. */
  async function tablesThere(): Promise<TablesLocation | undefined> {
    if (!store || generation === undefined) return undefined
    copies ??= openCopies({ store, generation })
    return tablesOn(store, generation, await copies)
  }

  async function closeCopies(): Promise<void> {
    const opened = copies
    copies = undefined
    await (await opened)?.[Symbol.asyncDispose]()
  }

  /** Starts a new index. */
  async function startNewIndex(): Promise<void> {
    await closeCopies()
    if (store) generation = newGeneration()
  }

  return {
    store,

    /** Whether the object store responds to requests. */
    async answers(): Promise<boolean> {
      try {
        for await (const _ of store?.list("tables-") ?? []) break
        return true
      } catch {
        return false
      }
    },

    /** Location of LanceDB's table. */
    tables: async (): Promise<TablesLocation> => (await tablesThere()) ?? tablesIn(join(directory, "tables")),
    /** Location of the words that misspelt words are compared with. */
    terms: join(directory, "terms"),

    async condition(): Promise<IndexCondition> {
      await forgetOldQuarantine(quarantine)
      const found = await readDescription(descriptionPath)
      if (!found || (store !== undefined) !== isGeneration(found.generation)) return "absent"
      const before = generation
      generation = found.generation
      if (JSON.stringify({ ...found, clean: true, stamp: undefined }) !== JSON.stringify(describe(true))) {
        generation = before
        return "absent"
      }
      const databaseStamp = await stamp?.read()
      return found.clean && (!stamp || found.stamp === databaseStamp) ? "clean" : "unclean"
    },

    /** Call this when the condition is known, because the database changes from then on. */
    async begin(): Promise<void> {
      await stamp?.remove()
      await tablesThere() // the limit on copies may be lower than last time
      if (store)
        removeOthers(store, () => generation).catch((error: unknown) => {
          logger.warn({ err: error }, "Tables of an earlier search index remain on the object store")
        })
    },

    /** Call this before the first change. From then on, a crash is detected at the next start. */
    async markUnclean(): Promise<void> {
      await mkdir(directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error
      })
      await writeDurably(descriptionPath, JSON.stringify(describe(false)))
    },

    /** Call this after the last change. It flushes all files to disk, because LanceDB never does. */
    async markClean(): Promise<void> {
      for (const part of ["tables", "terms"])
        if (existsSync(join(directory, part))) await syncTree(join(directory, part))
      const indexStamp = randomUUID()
      await stamp?.write(indexStamp)
      await writeDurably(descriptionPath, JSON.stringify(describe(true, indexStamp)))
    },

    /** For changes that could not be made. Writes synchronously, because the process may end at the next step. */
    markUncleanNow(): void {
      if (existsSync(descriptionPath)) writeFileSync(descriptionPath, JSON.stringify(describe(false)))
    },

    async clear(): Promise<void> {
      await startNewIndex()
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    },

    /** Moves the broken directory aside and replaces an earlier one. */
    async setAside(): Promise<void> {
      await startNewIndex()
      await rm(copiesPath, { recursive: true, force: true, maxRetries: 3 })
      await rm(quarantine, { recursive: true, force: true, maxRetries: 3 })
      await rename(directory, quarantine).catch(async (error: unknown) => {
        if (!isMissing(error)) await rm(directory, { recursive: true, force: true, maxRetries: 3 })
      })
    },

    /** Stops all writing in the background. */
    close: closeCopies,
  }
}

async function readDescription(path: string): Promise<Description | undefined> {
  try {
    return JSON.parse(await readSmallFile(path)) as Description
  } catch (error) {
    const isDamaged = error instanceof SyntaxError || ["ENOTDIR", "EISDIR"].includes(getCode(error) ?? "")
    if (isMissing(error) || isDamaged) return undefined
    throw error
  }
}

async function forgetOldQuarantine(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found && Date.now() - found.ctimeMs > quarantineRetentionMs)
    await rm(path, { recursive: true, force: true })
}

async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = freeNewName(path)
  await writeFile(temporary, text, { flag: "wx", flush: true })
  await rename(temporary, path)
  await syncPath(dirname(path))
}

async function syncTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries) await syncPath(join(entry.parentPath, entry.name))
  await syncPath(directory)
}

async function syncPath(path: string): Promise<void> {
  try {
    await using file = await open(path, "r")
    await file.sync()
  } catch (error) {
    // Windows can't sync a directory or a file opened for reading, but its own journal covers the names.
    if (process.platform !== "win32") throw error
  }
}

const isMissing = (error: unknown) => getCode(error) === "ENOENT"
const getCode = (error: unknown) => (error as NodeJS.ErrnoException).code
