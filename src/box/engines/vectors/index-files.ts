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
  type TableCopies,
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
export class IndexFiles {
  /** Object store for the tables; undefined if they are in the directory. */
  readonly store: TableStore | undefined
  /** Location of the words that misspelt words are compared with. */
  readonly terms: string
  readonly #options: IndexFilesOptions
  readonly #descriptionPath: string
  readonly #quarantine: string
  readonly #copiesPath: string
  #generation: string | undefined
  #copies: Promise<TableCopies & AsyncDisposable> | undefined

  constructor(options: IndexFilesOptions) {
    this.store = options.store
    this.terms = join(options.directory, "terms")
    this.#options = options
    this.#descriptionPath = join(options.directory, "index.json")
    this.#quarantine = `${options.directory}.broken`
    this.#copiesPath = join(options.directory, "copies")
    this.#generation = options.store && newGeneration()
  }

  /** Whether the object store responds to requests. */
  async answers(): Promise<boolean> {
    try {
      for await (const _ of this.store?.list("tables-") ?? []) break
      return true
    } catch {
      return false
    }
  }

  /** Location of LanceDB's table. */
  async tables(): Promise<TablesLocation> {
    return (await this.#tablesThere()) ?? tablesIn(join(this.#options.directory, "tables"))
  }

  /** Returns the location of the tables on the object store. */
  async #tablesThere(): Promise<TablesLocation | undefined> {
    if (!this.store || this.#generation === undefined) return undefined
    this.#copies ??= this.#openCopies({ store: this.store, generation: this.#generation })
    return tablesOn(this.store, this.#generation, await this.#copies)
  }

  async #openCopies(of: { store: TableStore; generation: string }) {
    const { openTableCopies } = await import("./table-copies.ts")
    return openTableCopies({
      directory: this.#copiesPath,
      ...of,
      isInPlace: this.#options.isInPlace,
      logger: this.#options.logger,
    })
  }

  async condition(): Promise<IndexCondition> {
    await forgetOldQuarantine(this.#quarantine)
    const found = await readDescription(this.#descriptionPath)
    if (!found || (this.store !== undefined) !== isGeneration(found.generation)) return "absent"
    const before = this.#generation
    this.#generation = found.generation
    if (
      JSON.stringify({ ...found, clean: true, stamp: undefined }) !== JSON.stringify(this.#describe(true))
    ) {
      this.#generation = before
      return "absent"
    }
    const databaseStamp = await this.#options.stamp?.read()
    return found.clean && (!this.#options.stamp || found.stamp === databaseStamp) ? "clean" : "unclean"
  }

  #describe(clean: boolean, indexStamp?: string): Description {
    return {
      schemaVersion,
      model: this.#options.model ?? null,
      clean,
      stamp: indexStamp,
      generation: this.#generation,
    }
  }

  /** Call this when the condition is known, because the database changes from then on. */
  async begin(): Promise<void> {
    await this.#options.stamp?.remove()
    await this.#tablesThere() // the limit on copies may be lower than last time
    if (this.store)
      removeOthers(this.store, () => this.#generation).catch((error: unknown) => {
        this.#options.logger.warn(
          { err: error },
          "Tables of an earlier search index remain on the object store",
        )
      })
  }

  /** Call this before the first change. From then on, a crash is detected at the next start. */
  async markUnclean(): Promise<void> {
    await mkdir(this.#options.directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
    await writeDurably(this.#descriptionPath, JSON.stringify(this.#describe(false)))
  }

  /** Call this after the last change. It flushes all files to disk, because LanceDB never does. */
  async markClean(): Promise<void> {
    for (const part of ["tables", "terms"])
      if (existsSync(join(this.#options.directory, part))) await syncTree(join(this.#options.directory, part))
    const indexStamp = randomUUID()
    await this.#options.stamp?.write(indexStamp)
    await writeDurably(this.#descriptionPath, JSON.stringify(this.#describe(true, indexStamp)))
  }

  /** For changes that could not be made. Writes synchronously, because the process may end at the next step. */
  markUncleanNow(): void {
    if (existsSync(this.#descriptionPath))
      writeFileSync(this.#descriptionPath, JSON.stringify(this.#describe(false)))
  }

  async clear(): Promise<void> {
    await this.#startNewIndex()
    await rm(this.#options.directory, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Starts a new index. */
  async #startNewIndex(): Promise<void> {
    await this.close()
    if (this.store) this.#generation = newGeneration()
  }

  /** Moves the broken directory aside and replaces an earlier one. */
  async setAside(): Promise<void> {
    await this.#startNewIndex()
    await rm(this.#copiesPath, { recursive: true, force: true, maxRetries: 3 })
    await rm(this.#quarantine, { recursive: true, force: true, maxRetries: 3 })
    await rename(this.#options.directory, this.#quarantine).catch(async (error: unknown) => {
      if (!isMissing(error))
        await rm(this.#options.directory, { recursive: true, force: true, maxRetries: 3 })
    })
  }

  /** Stops all writing in the background. */
  async close(): Promise<void> {
    const opened = this.#copies
    this.#copies = undefined
    await (await opened)?.[Symbol.asyncDispose]()
  }
}

export const createIndexFiles = (options: IndexFilesOptions): IndexFiles => new IndexFiles(options)

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
