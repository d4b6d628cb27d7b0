import { AppError } from "../../../shared/contract/errors.ts"
import { maxMemories, type Memory } from "../../../shared/contract/memory.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { foldCase } from "../../core/database/sql-helpers.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { lazy } from "../../core/lazy.ts"
import { hasFullRights, type Rights } from "../../http/caller.ts"
import { createMemoryStore } from "./store.ts"

const segmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: "word" }))

/** The words of a text in any language, with case folded. */
function getWords(text: string): string[] {
  return [...segmenter().segment(foldCase(text.normalize("NFKC")))]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment)
}

/** Minimum share of common words for two facts to say the same. */
const sameShare = 0.75

/**
 * Whether a fact repeats or updates another one: it has the same words, or all of the other's words and hardly any more. "Ann is
 * vegetarian" and "Ann is not vegetarian" are the same fact, and the newer one applies. Two facts that each have a word of their own
 * ("lives in Rome", "lives in Milan") may both be true.
 */
export function hasSameMeaning(one: string, other: string): boolean {
  const [fewer, more] = [new Set(getWords(one)), new Set(getWords(other))].sort((a, b) => a.size - b.size)
  if (fewer === undefined || more === undefined) return false
  if (more.size === 0) return one.trim() === other.trim()
  return [...fewer].every((word) => more.has(word)) && fewer.size / more.size >= sameShare
}

/** Scores how well each text fits a question by the words they share; rarer words weigh more. Zero for texts that share none. */
export function relevance(question: string, texts: readonly string[]): number[] {
  const asked = new Set(getWords(question))
  const words = texts.map((text) => [...new Set(getWords(text))])
  const amount = new Map<string, number>()
  for (const word of words.flat()) amount.set(word, (amount.get(word) ?? 0) + 1)
  const weight = (word: string) => Math.log(1 + texts.length / (amount.get(word) ?? 1))
  const isAsked = (word: string) => asked.has(word) || [...asked].some((other) => sameStem(word, other))
  return words.map((own) => own.filter(isAsked).reduce((sum, word) => sum + weight(word), 0))
}

/** In most languages, the forms of a word differ in their last letters. */
function sameStem(one: string, other: string): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one]
  const stem = Math.max(4, shorter.length - 2)
  return (
    shorter.length >= 4 && longer.length - shorter.length <= 3 && longer.startsWith(shorter.slice(0, stem))
  )
}

/** Limits for the facts included in one question. */
const promptLimits = { facts: 12, characters: 1500 }

/** Facts about users that assistants know in every chat. Users can't see or change each other's facts. */
export interface Memories {
  list(userId: string, page: Page, search?: string): Promise<{ memories: Memory[]; pagination: Pagination }>
  /** The fact that `remember` would replace with this text; null if it would add one. */
  findReplaced(userId: string, text: string): Promise<Memory | null>
  /** Stores a fact, replacing one that says the same. Throws `conflict` if there are too many. */
  remember(userId: string, text: string, writer?: Rights): Promise<Memory>
  /** Throws `not_found`, or `conflict` if another fact says the same. */
  update(userId: string, id: string, text: string, writer?: Rights): Promise<Memory>
  /** Returns whether a credential without full rights was the last to write one of the user's facts. */
  hasFactsOfScopedKeys(userId: string): Promise<boolean>
  /** Throws `not_found`. */
  forget(userId: string, id: string): Promise<void>
  forgetAll(userId: string): Promise<number>
  /**
   * Facts to include in a question, best first: those that share words with it, then the newest, because "answer in Italian" shares words
   * with no question. At most 12, with about 1,500 characters in total. If all facts fit, they are in a constant order, oldest first. They
   * are data, not instructions.
   */
  relevant(userId: string, question: string): Promise<{ memories: Memory[]; isAll: boolean }>
}

const sameAs = (memories: readonly Memory[], text: string): Memory | undefined =>
  memories.find((memory) => hasSameMeaning(memory.text, text))

const fullRights: Rights = { scopes: null }

/** A key without full rights marks the facts it writes. Full rights remove the mark, also with the same text. */
const getMark = (writer: Rights): Pick<Memory, "writtenByScopedKey"> =>
  hasFullRights(writer) ? {} : { writtenByScopedKey: true }

export function createMemories(db: DbOf<"memory">): Memories {
  const store = createMemoryStore(db)
  const missing = () => new AppError("not_found", sentence("memory.none_such"))

  return {
    async list(userId, page, search) {
      const { total, memories } = await store.list(userId, page, search)
      return { memories, pagination: paginate(total, page, memories.length) }
    },

    findReplaced: async (userId, text) => sameAs(await store.all(userId), text) ?? null,

    remember: (userId, text, writer = fullRights) =>
      db.transaction().execute(async (trx) => {
        const store = createMemoryStore(trx)
        const all = await store.all(userId)
        const now = timestamp()
        const same = sameAs(all, text)
        const memory = {
          id: same?.id ?? newId(),
          text,
          createdAt: same?.createdAt ?? now,
          updatedAt: now,
          ...getMark(writer),
        }
        if (same) await store.replace(userId, memory)
        else if (all.length < maxMemories) await store.insert(userId, memory)
        else {
          throw new AppError("conflict", sentence("memory.too_many", { count: maxMemories }))
        }
        return memory
      }),

    update: (userId, id, text, writer = fullRights) =>
      db.transaction().execute(async (trx) => {
        const store = createMemoryStore(trx)
        const all = await store.all(userId)
        const before = all.find((memory) => memory.id === id)
        if (!before) throw missing()
        const same = all.find((memory) => memory.id !== id && hasSameMeaning(memory.text, text))
        if (same) throw new AppError("conflict", sentence("memory.same", { fact: same.text }))
        const { createdAt } = before
        const memory = { id, text, createdAt, updatedAt: timestamp(), ...getMark(writer) }
        await store.replace(userId, memory)
        return memory
      }),

    hasFactsOfScopedKeys: (userId) => store.hasFactsOfScopedKeys(userId),

    async forget(userId, id) {
      if ((await store.remove(userId, id)) === 0) throw missing()
    },

    forgetAll: (userId) => store.remove(userId),

    async relevant(userId, question) {
      const all = await store.all(userId)
      const length = all.reduce((sum, { text }) => sum + text.length, 0)
      if (all.length <= promptLimits.facts && length <= promptLimits.characters)
        return { memories: all.toSorted((a, b) => (a.id < b.id ? -1 : 1)), isAll: true }
      const scores = relevance(
        question,
        all.map(({ text }) => text),
      )
      const best = all
        .map((memory, position) => ({ memory, score: scores[position] ?? 0 }))
        .sort((a, b) => b.score - a.score)
        .slice(0, promptLimits.facts)
      let characters = 0
      const memories = best
        .map(({ memory }) => memory)
        .filter(({ text }) => (characters += text.length) <= promptLimits.characters)
      return { memories, isAll: false }
    },
  }
}
