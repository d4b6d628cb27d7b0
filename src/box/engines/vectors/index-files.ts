import { randomUUID } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { tablesIn, type TablesPlace } from "./lance/tables-place.ts"
import type { IndexLogger } from "./passage-record.ts"
import { isGeneration, newGeneration, removeOthers, tablesOn, type TableStore } from "./remote-tables.ts"
import { freeNewName, readSmallFile } from "../../core/files/small-file.ts"

/** Raised whenever the table's columns or the analysis of the text change: the index is then built anew. */
const schemaVersion = 2
const quarantineKeptMs = 7 * 24 * 3_600_000

export interface IndexModel {
  modelId: string
  dimensions: number
}

/** What the files say at start: usable as it is, to be compared with the passages, or to be built anew. */
export type IndexCondition = "clean" | "unclean" | "absent"

/** What the database says of the index: it has the stamp of the one that was its equal when both were last closed. */
export interface IndexStamp {
  read(): Promise<string | null>
  write(stamp: string): Promise<void>
  remove(): Promise<void>
}

interface Description {
  schemaVersion: number
  model: IndexModel | null
  /** Written `false` before the first change and `true` after the last one. */
  clean: boolean
  /** Which tables on the object store are this index's. */
  generation?: string | undefined
  /** Random, of each time that it was clean: an older copy of the index, or of the database, has another one. */
  stamp?: string | undefined
}

interface IndexFilesOptions {
  directory: string
  model: IndexModel | undefined
  stamp: IndexStamp | undefined
  /** Where the tables are instead of in the directory. */
  store?: TableStore | undefined
  /** Whether the directory is still the box's own. */
  isKept(): boolean
  logger: Pick<IndexLogger, "warn">
}

/** The directory of the index: what it holds, whether it can be trusted, and where it goes when it can't. */
export function createIndexFiles(options: IndexFilesOptions) {
  const { directory, model, stamp, store, isKept, logger } = options
  const descriptionPath = join(directory, "index.json")
  const quarantine = `${directory}.broken`
  const copiesPath = join(directory, "copies")
  let generation = store && newGeneration()
  let copies: ReturnType<typeof openCopies> | undefined
  const describe = (clean: boolean, ofIndex?: string): Description => ({
    schemaVersion,
    model: model ?? null,
    clean,
    stamp: ofIndex,
    generation,
  })

  async function openCopies(of: { store: TableStore; generation: string }) {
    const { openTableCopies } = await import("./table-copies.ts")
    return openTableCopies({ directory: copiesPath, ...of, isKept, logger })
  }

  /** Where the tables are that are on the store. */
  async function tablesThere(): Promise<TablesPlace | undefined> {
    if (!store || generation === undefined) return undefined
    copies ??= openCopies({ store, generation })
    return tablesOn(store, generation, await copies)
  }

  async function closeCopies(): Promise<void> {
    const opened = copies
    copies = undefined
    await (await opened)?.[Symbol.asyncDispose]()
  }

  /** What comes next is another index. */
  async function begins(): Promise<void> {
    await closeCopies()
    if (store) generation = newGeneration()
  }

  return {
    store,

    /** Whether the object store does what it is asked for. */
    async answers(): Promise<boolean> {
      try {
        for await (const _ of store?.list("tables-") ?? []) break
        return true
      } catch {
        return false
      }
    },

    /** Where LanceDB keeps its table. */
    tables: async (): Promise<TablesPlace> => (await tablesThere()) ?? tablesIn(join(directory, "tables")),
    /** Where the words are that misspelt ones are compared with. */
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
      const ofDatabase = await stamp?.read()
      return found.clean && (!stamp || found.stamp === ofDatabase) ? "clean" : "unclean"
    },

    /** To be called once the condition is known: the database changes from now on. */
    async begin(): Promise<void> {
      await stamp?.remove()
      await tablesThere() // copies may have to be fewer than the last time
      if (store)
        removeOthers(store, () => generation).catch((error: unknown) => {
          logger.warn({ err: error }, "Tables of an earlier search index stay on the object store")
        })
    },

    /** To be called before the first change: from now on a crash is noticed at the next start. */
    async markUnclean(): Promise<void> {
      await mkdir(directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error
      })
      await writeDurably(descriptionPath, JSON.stringify(describe(false)))
    },

    /** To be called after the last change: everything is on the disk, because LanceDB itself never asks for that. */
    async markClean(): Promise<void> {
      for (const part of ["tables", "terms"])
        if (existsSync(join(directory, part))) await syncTree(join(directory, part))
      const ofIndex = randomUUID()
      await stamp?.write(ofIndex)
      await writeDurably(descriptionPath, JSON.stringify(describe(true, ofIndex)))
    },

    /** For changes that weren't made: at once, since the process may end with the next step. */
    markUncleanNow(): void {
      if (existsSync(descriptionPath)) writeFileSync(descriptionPath, JSON.stringify(describe(false)))
    },

    async clear(): Promise<void> {
      await begins()
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    },

    /** Sets the broken directory aside, in place of an earlier one. */
    async setAside(): Promise<void> {
      await begins()
      await rm(copiesPath, { recursive: true, force: true, maxRetries: 3 })
      await rm(quarantine, { recursive: true, force: true, maxRetries: 3 })
      await rename(directory, quarantine).catch(async (error: unknown) => {
        if (!isMissing(error)) await rm(directory, { recursive: true, force: true, maxRetries: 3 })
      })
    },

    /** Writes nothing more that isn't asked for. */
    close: closeCopies,
  }
}

async function readDescription(path: string): Promise<Description | undefined> {
  try {
    return JSON.parse(await readSmallFile(path)) as Description
  } catch (error) {
    const isDamaged = error instanceof SyntaxError || ["ENOTDIR", "EISDIR"].includes(codeOf(error) ?? "")
    if (isMissing(error) || isDamaged) return undefined
    throw error
  }
}

async function forgetOldQuarantine(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found && Date.now() - found.ctimeMs > quarantineKeptMs) await rm(path, { recursive: true, force: true })
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
    // Windows can't sync a directory or a file opened for reading; its own journal covers the names.
    if (process.platform !== "win32") throw error
  }
}

const isMissing = (error: unknown) => codeOf(error) === "ENOENT"
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
