import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { freeNewName, readSmallFile } from "../../../core/files/file-contents.ts"
import { yieldToEventLoop, chunksWithYield } from "../../../core/waiting/yield-to-event-loop.ts"
import { requireId, type IndexLogger } from "../passage-record.ts"
import { holdsTerm, mergeTerms, type SortedTerms, nearTerms, type NearTerm } from "./sorted-terms.ts"

/** Maximum size for one folder. A million passages of prose have fewer characters. Words added beyond it aren't used for corrections. */
const maxCharacters = 24_000_000
/** Maximum size of a file that is read in one piece. The files written here are smaller, in any script. */
const maxBytes = 2 ** 27
const termsPerChunk = 256
const stateName = "removed"

/** Returns a checksum that shows whether a file contains the terms written for this folder. */
const computeChecksum = (vectorId: string, terms: SortedTerms) => crc32(terms, crc32(vectorId)).toString(16)

/** Stores the terms of each folder in a separate file after their checksum, and a state file for all of them. */
function createTermFiles(directory: string) {
  const statePath = join(directory, stateName)

  const replace = async (path: string, text: string) => {
    await mkdir(directory, { recursive: true })
    const written = freeNewName(path)
    await writeFile(written, text, { flag: "wx" })
    await rename(written, path)
  }

  const read = async (vectorId: string): Promise<SortedTerms> => {
    const text = await readSmallFile(join(directory, requireId(vectorId)), maxBytes).catch(nothingIfMissing)
    if (text === undefined) return ""
    const end = text.indexOf("\n") + 1
    const terms = text.slice(end)
    if (text.slice(0, end) !== `${computeChecksum(vectorId, terms)}\n`)
      throw new Error("The words of a folder are damaged.")
    return terms
  }

  const countFolders = async () =>
    (await readdir(directory)).filter((name) => name !== stateName && !name.includes(".")).length

  return {
    /** Returns no terms if there is no file; throws if the file isn't as it was written. */
    read,

    /** Returns the folder's terms including the new ones, or `undefined` if there was nothing new. */
    async add(vectorId: string, terms: readonly string[]): Promise<SortedTerms | undefined> {
      const known = await read(vectorId)
      if (known.length > maxCharacters) return undefined
      const added: string[] = []
      for await (const some of chunksWithYield(terms, termsPerChunk))
        added.push(...some.filter((term) => !holdsTerm(known, term)))
      if (added.length === 0) return undefined
      const all = await mergeTerms(known, added.sort(), yieldToEventLoop)
      await replace(join(directory, requireId(vectorId)), `${computeChecksum(vectorId, all)}\n${all}`)
      return all
    },

    async remove(vectorId: string): Promise<void> {
      await rm(join(directory, requireId(vectorId)), { force: true })
    },

    async clear(): Promise<void> {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    },

    /**
     * Returns the number of passages removed since the files were created; `undefined` unless the files are complete and were closed
     * properly.
     */
    async readRemoved(): Promise<number | undefined> {
      const state = (await readSmallFile(statePath).catch(nothingIfMissing)) ?? ""
      const [, removed, folders] = /^(\d+) (\d+)$/.exec(state) ?? []
      return state !== "" && Number(folders) === (await countFolders()) ? Number(removed) : undefined
    },

    /** Marks the files as complete. */
    async writeRemoved(removed: number): Promise<void> {
      await mkdir(directory, { recursive: true })
      await replace(statePath, `${removed} ${await countFolders()}`)
    },
  }
}

function nothingIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}

/** Looks up the words in the passages of some folders, as far as the words consist of letters. */
export interface TermLookup {
  /** Also true for terms that aren't in the dictionary by design: numbers, identifiers, single letters. */
  has(term: string): boolean
  /** Returns the terms that differ from the word in up to `max` letters, but not in the first letter. */
  near(word: string, max: number): NearTerm[]
}

/** A passage's folder, and the terms of its text. */
export interface TermSource {
  vectorId: string
  terms: readonly string[]
}

/** Matches words, but not the fragments that the index uses for scripts without spaces. */
const isTerm =
  /^[\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]]{2,32}$/v
/**
 * In UTF-16 units. Longer terms are never stored, so they aren't kept in memory either: in a script without spaces a whole passage may be
 * one word.
 */
const maxTermLength = 64
/** Maximum number of terms in memory during heavy indexing, for all folders together: about 20 MB. */
const maxSeen = 200_000
/** Maximum size of the loaded terms. The folders searched last stay loaded. */
const maxLoadedCharacters = 48_000_000
const idleMs = 60_000
/**
 * Maximum number of terms that a question's words are compared with, because a document may contain a million deliberately similar ones.
 */
const maxCompared = 50_000
/** Share of passages whose removal causes the dictionary to be rebuilt. */
const removedShare = 0.1

export interface TermDictionaryOptions {
  /** Directory next to the index's tables. */
  directory: string
  /**
   * `new`: the index is empty. `kept`: as this dictionary left it. `doubtful`: it wasn't closed properly, so words may be missing, and the
   * dictionary isn't used until it is rebuilt.
   */
  state: "new" | "kept" | "doubtful"
  logger: IndexLogger
}

/** The terms recently added to a folder, most of which occur again, and the terms among them that must still be written. */
interface RecentTerms {
  terms: Set<string>
  waiting: string[]
}

class TermDictionary {
  readonly #state: TermDictionaryOptions["state"]
  readonly #logger: IndexLogger
  readonly #files: ReturnType<typeof createTermFiles>
  readonly #recent = new Map<string, RecentTerms>()
  readonly #loaded = new Map<string, SortedTerms>()
  /** Number of times the files were written. Data read during a write may be outdated. */
  #writes = 0
  #unloadTimer: NodeJS.Timeout | undefined
  #isComplete: boolean
  /** Passages removed since the dictionary was built; undefined until the files are read. */
  #removed: number | undefined

  constructor({ directory, state, logger }: TermDictionaryOptions) {
    this.#state = state
    this.#logger = logger
    this.#files = createTermFiles(directory)
    this.#isComplete = state === "new"
    this.#removed = state === "new" ? 0 : undefined
  }

  /** Adds the words of passages that are being added to the index. */
  add(passages: readonly TermSource[]): Promise<void> {
    return this.#attempt(() => this.#add(passages))
  }

  /** Reports that `count` passages were removed from the index. Their words stay until enough passages are removed. */
  async passagesRemoved(count: number): Promise<void> {
    await this.#attempt(() => this.#prepare())
    this.#removed = (this.#removed ?? 0) + count
  }

  /** Deletes the words of removed folders immediately. */
  removeFolders(vectorIds: readonly string[]): Promise<void> {
    return this.#attempt(async () => {
      for (const vectorId of vectorIds) {
        this.#recent.delete(vectorId)
        await this.#files.remove(vectorId)
        this.#loaded.delete(vectorId)
        this.#writes++
      }
    })
  }

  /** Writes pending terms. Returns whether the dictionary should be rebuilt for an index with this many passages. */
  async settle(passages: number): Promise<boolean> {
    await this.#attempt(() => this.#prepare())
    if (this.#isComplete) await this.#attempt(() => this.#flush())
    const removed = this.#removed ?? 0
    return !this.#isComplete || removed > (passages + removed) * removedShare
  }

  /** Rebuilds the dictionary from all passages of the index, unless the signal stops it. */
  renew(passages: AsyncIterable<readonly TermSource[]>, signal: AbortSignal): Promise<void> {
    return this.#attempt(async () => {
      this.#isComplete = false
      this.#forget()
      await this.#files.clear()
      for await (const some of passages) {
        if (signal.aborted) return
        await this.#add(some)
      }
      await this.#flush()
      this.#removed = 0
      this.#isComplete = true
    })
  }

  /**
   * Returns the terms of the folders, or `null` while they aren't reliable, until `renew` has run. A bound function, because searches
   * receive it without the dictionary.
   */
  readonly getTermLookup = async (vectorIds: readonly string[]): Promise<TermLookup | null> => {
    try {
      await this.#prepare()
      if (!this.#isComplete) return null
      const lists = await Promise.all(
        vectorIds.map(async (vectorId) => this.#getLoaded(vectorId) ?? this.#load(vectorId)),
      )
      this.#unloadLater()
      const added = vectorIds.flatMap((vectorId) => this.#recent.get(vectorId)?.terms ?? [])
      const allowance = { left: maxCompared }
      return {
        has: (term) =>
          !isTerm.test(term) ||
          lists.some((terms) => holdsTerm(terms, term)) ||
          added.some((terms) => terms.has(term)),
        near: (word, max) => lists.flatMap((terms) => nearTerms(terms, word, max, allowance)),
      }
    } catch (error) {
      this.#isComplete = false
      this.#logger.warn(
        { err: error },
        "The words of the search index can't be read: misspelt words aren't found",
      )
      return null
    }
  }

  /** Call this when the index is set aside and starts empty. */
  reset(): void {
    this.#forget()
    this.#removed = 0
    this.#isComplete = true
  }

  /** Call this after the last change. */
  close(): Promise<void> {
    return this.#attempt(async () => {
      if (this.#removed === undefined && this.#recent.size === 0 && this.#state === "kept") return // the dictionary was never used
      await this.#prepare()
      if (this.#isComplete) await this.#flush()
      if (this.#isComplete) await this.#files.writeRemoved(this.#removed ?? 0)
      else await this.#files.clear()
      clearTimeout(this.#unloadTimer)
      this.#forget()
    })
  }

  async #prepare(): Promise<void> {
    if (this.#removed !== undefined) return
    const stored = this.#state === "kept" ? await this.#files.readRemoved() : undefined
    this.#isComplete = stored !== undefined
    this.#removed = stored ?? 0
  }

  async #add(passages: readonly TermSource[]): Promise<void> {
    for (const { vectorId, terms } of passages) {
      const recent = this.#recent.get(vectorId) ?? { terms: new Set(), waiting: [] }
      this.#recent.set(vectorId, recent)
      for (const term of terms) {
        if (term.length > maxTermLength) continue
        const { size } = recent.terms
        if (recent.terms.add(term).size > size) recent.waiting.push(term)
      }
    }
    if (this.#countRecent() > maxSeen) await this.#flush()
  }

  #countRecent(): number {
    let count = 0
    for (const { terms } of this.#recent.values()) count += terms.size
    return count
  }

  async #flush(): Promise<void> {
    const count = this.#countRecent()
    for (const [vectorId, { waiting }] of this.#recent) {
      const terms = waiting.splice(0).filter((term) => isTerm.test(term))
      const all = terms.length > 0 ? await this.#files.add(vectorId, terms) : undefined
      if (all !== undefined && this.#loaded.has(vectorId)) this.#keepLoaded(vectorId, all)
    }
    this.#writes++
    if (count > maxSeen) this.#recent.clear()
    this.#unloadLater()
  }

  #getLoaded(vectorId: string): SortedTerms | undefined {
    const terms = this.#loaded.get(vectorId)
    if (terms !== undefined) this.#keepLoaded(vectorId, terms)
    return terms
  }

  async #load(vectorId: string): Promise<SortedTerms> {
    const before = this.#writes
    const terms = await this.#files.read(vectorId)
    if (this.#writes === before) this.#keepLoaded(vectorId, terms)
    return terms
  }

  #keepLoaded(vectorId: string, terms: SortedTerms): void {
    this.#loaded.delete(vectorId)
    this.#loaded.set(vectorId, terms)
    let characters = [...this.#loaded.values()].reduce((sum, { length }) => sum + length, 0)
    for (const [oldest, { length }] of this.#loaded) {
      if (characters <= maxLoadedCharacters) break
      this.#loaded.delete(oldest)
      characters -= length
    }
  }

  /** If writing fails, words are missing, so the dictionary has to be rebuilt. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#isComplete = false
      this.#forget()
      this.#logger.warn(
        { err: error },
        "The words of the search index couldn't be stored: misspelt words aren't found",
      )
    }
  }

  #forget(): void {
    this.#writes++
    this.#recent.clear()
    this.#loaded.clear()
  }

  #unloadLater(): void {
    clearTimeout(this.#unloadTimer)
    this.#unloadTimer = setTimeout(this.#unload, idleMs).unref()
  }

  readonly #unload = () => {
    this.#loaded.clear()
    for (const [vectorId, { waiting }] of this.#recent)
      if (waiting.length === 0) this.#recent.delete(vectorId)
  }
}

export type { TermDictionary }

/**
 * The terms of each folder's passages. A correction uses only words from the folders that the question is for. The dictionary may lag
 * behind the index. It is loaded at the first search and unloaded when no one searches. Only the index's single writer calls the methods
 * other than `getTermLookup`.
 */
export const createTermDictionary = (options: TermDictionaryOptions): TermDictionary =>
  new TermDictionary(options)
