import type { IndexLogger } from "../passage-record.ts"
import { holdsTerm, nearTerms, type NearTerm, type SortedTerms } from "./sorted-terms.ts"
import { createTermFiles } from "./term-files.ts"

/** Which words the passages of some folders hold, as far as these are of letters. */
export interface TermLookup {
  /** Also true for what the dictionary can't tell: numbers, identifiers, single letters. */
  has(term: string): boolean
  /** The terms that differ from the word in up to so many letters, but not in the first. */
  near(word: string, most: number): NearTerm[]
}

/** A passage's folder, and the terms of its text. */
export interface TermSource {
  vectorId: string
  terms: readonly string[]
}

export type TermDictionary = ReturnType<typeof createTermDictionary>

/** Words, not the parts of scripts without spaces that the index has instead of them. */
const isTerm =
  /^[\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]]{2,32}$/v
/** In UTF-16, so that what is never kept isn't waited with either: a script without spaces may be one word a passage. */
const longestTerm = 64
/** Terms in memory while much is indexed, all folders together: about 20 MB. */
const mostSeen = 200_000
/** Of the folders that were searched last. */
const mostLoadedCharacters = 48_000_000
const idleMs = 60_000
/** Terms that a question's words are compared with: a document may hold a million made to be much alike. */
const mostCompared = 50_000
/** The share of passages whose removal makes the dictionary be made anew. */
const removedShare = 0.1

export interface TermDictionaryOptions {
  /** Beside the index's tables. */
  directory: string
  /**
   * `new`: the index is empty. `kept`: as this dictionary left it. `doubtful`: it wasn't closed properly, so words may
   * be missing, and the dictionary tells nothing until it was made anew.
   */
  state: "new" | "kept" | "doubtful"
  logger: IndexLogger
}

/**
 * The terms of each folder's passages: what corrects a question never knows more than the folders that it is asked of.
 * A hint that may lag behind the index. Read at the first search and let go when nobody searches. All but `lookUp` is
 * called by the index's one writer.
 */
export function createTermDictionary({ directory, state, logger }: TermDictionaryOptions) {
  const files = createTermFiles(directory)
  /** The terms of each folder that were added lately, most of which come again, and those of them to be written. */
  const seen = new Map<string, { terms: Set<string>; waiting: string[] }>()
  const loaded = new Map<string, SortedTerms>()
  /** How often the files were written: what was read meanwhile may be old. */
  let writes = 0
  let letGo: NodeJS.Timeout | undefined
  let whole = state === "new"
  /** Passages that were removed since the dictionary was made; unknown before the files were asked. */
  let removed = state === "new" ? 0 : undefined

  const prepare = async () => {
    if (removed !== undefined) return
    const stored = state === "kept" ? await files.readRemoved() : undefined
    whole = stored !== undefined
    removed = stored ?? 0
  }

  const keep = (vectorId: string, terms: SortedTerms) => {
    loaded.delete(vectorId)
    loaded.set(vectorId, terms)
    let characters = [...loaded.values()].reduce((sum, { length }) => sum + length, 0)
    for (const [oldest, { length }] of loaded) {
      if (characters <= mostLoadedCharacters) break
      loaded.delete(oldest)
      characters -= length
    }
  }

  const forget = () => {
    writes++
    seen.clear()
    loaded.clear()
  }

  const rest = () => {
    loaded.clear()
    for (const [vectorId, { waiting }] of seen) if (waiting.length === 0) seen.delete(vectorId)
  }
  const restLater = () => {
    clearTimeout(letGo)
    letGo = setTimeout(rest, idleMs).unref()
  }

  /** What can't be written is missing, so the dictionary has to be made anew. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      whole = false
      forget()
      logger.warn(
        { err: error },
        "The words of the search index could not be kept: misspelt ones aren't found",
      )
    }
  }

  const flush = async () => {
    let count = 0
    for (const [vectorId, { terms, waiting }] of seen) {
      count += terms.size
      const some = waiting.splice(0).filter((term) => isTerm.test(term))
      const all = some.length > 0 ? await files.add(vectorId, some) : undefined
      if (all !== undefined && loaded.has(vectorId)) keep(vectorId, all)
    }
    writes++
    if (count > mostSeen) seen.clear()
    restLater()
  }

  const add = async (passages: readonly TermSource[]) => {
    for (const { vectorId, terms } of passages) {
      const lately = seen.get(vectorId) ?? { terms: new Set(), waiting: [] }
      seen.set(vectorId, lately)
      for (const term of terms) {
        if (term.length > longestTerm) continue
        const { size } = lately.terms
        if (lately.terms.add(term).size > size) lately.waiting.push(term)
      }
    }
    let count = 0
    for (const { terms } of seen.values()) count += terms.size
    if (count > mostSeen) await flush()
  }

  return {
    /** The words of passages that are being added to the index. */
    add: (passages: readonly TermSource[]) => attempt(() => add(passages)),

    /** So many passages were removed from the index; their words stay until there are more such. */
    async passagesRemoved(count: number): Promise<void> {
      await attempt(prepare)
      removed = (removed ?? 0) + count
    },

    /** The folders were removed, and their words go at once. */
    removeFolders: (vectorIds: readonly string[]) =>
      attempt(async () => {
        for (const vectorId of vectorIds) {
          seen.delete(vectorId)
          await files.remove(vectorId)
          loaded.delete(vectorId)
          writes++
        }
      }),

    /** Writes what waits. Returns whether the dictionary should be made anew for an index of so many passages. */
    async settle(passages: number): Promise<boolean> {
      await attempt(prepare)
      if (whole) await attempt(flush)
      return !whole || (removed ?? 0) > (passages + (removed ?? 0)) * removedShare
    },

    /** Makes it anew from all passages of the index, unless that is stopped. */
    renew: (passages: AsyncIterable<readonly TermSource[]>, signal: AbortSignal) =>
      attempt(async () => {
        whole = false
        forget()
        await files.clear()
        for await (const some of passages) {
          if (signal.aborted) return
          await add(some)
        }
        await flush()
        removed = 0
        whole = true
      }),

    /** What is known of the folders; `null` while that isn't reliable, until `renew` has run. */
    async lookUp(vectorIds: readonly string[]): Promise<TermLookup | null> {
      try {
        await prepare()
        if (!whole) return null
        const lists = await Promise.all(
          vectorIds.map(async (vectorId) => {
            const before = writes
            const terms = loaded.get(vectorId) ?? (await files.read(vectorId))
            if (writes === before) keep(vectorId, terms)
            return terms
          }),
        )
        restLater()
        const added = vectorIds.flatMap((vectorId) => seen.get(vectorId)?.terms ?? [])
        const allowance = { left: mostCompared }
        return {
          has: (term) =>
            !isTerm.test(term) ||
            lists.some((terms) => holdsTerm(terms, term)) ||
            added.some((terms) => terms.has(term)),
          near: (word, most) => lists.flatMap((terms) => nearTerms(terms, word, most, allowance)),
        }
      } catch (error) {
        whole = false
        logger.warn({ err: error }, "The words of the search index can't be read: misspelt ones aren't found")
        return null
      }
    },

    /** The index was set aside, and begins anew. */
    reset(): void {
      forget()
      removed = 0
      whole = true
    },

    /** To be called after the last change. */
    close: () =>
      attempt(async () => {
        if (removed === undefined && seen.size === 0 && state === "kept") return // never used
        await prepare()
        if (whole) await flush()
        if (whole) await files.writeRemoved(removed ?? 0)
        else await files.clear()
        clearTimeout(letGo)
        forget()
      }),
  }
}
