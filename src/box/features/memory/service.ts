import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { maxMemories, type Memory } from "../../../shared/contract/memory.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { relevance, hasSameMeaning } from "./likeness.ts"
import { createMemoryStore } from "./store.ts"

/** Limits for the facts included in one question. */
const promptLimits = { facts: 12, characters: 1500 }

/** Facts about users that assistants know in every chat. Users can't see or change each other's facts. */
export interface Memories {
  list(userId: string, page: Page, search?: string): Promise<{ memories: Memory[]; pagination: Pagination }>
  /** The fact that `remember` would replace with this text; null if it would add one. */
  findReplaced(userId: string, text: string): Promise<Memory | null>
  /** Stores a fact, replacing one that says the same. Throws `conflict` if there are too many. */
  remember(userId: string, text: string): Promise<Memory>
  /** Throws `not_found`, or `conflict` if another fact says the same. */
  update(userId: string, id: string, text: string): Promise<Memory>
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

export function createMemories(db: DbOf<"memory">): Memories {
  const store = createMemoryStore(db)
  const missing = () => new AppError("not_found", sentence("memory.none_such"))

  return {
    async list(userId, page, search) {
      const { total, memories } = await store.list(userId, page, search)
      return { memories, pagination: paginate(total, page, memories.length) }
    },

    findReplaced: async (userId, text) => sameAs(await store.all(userId), text) ?? null,

    remember: (userId, text) =>
      db.transaction().execute(async (trx) => {
        const store = createMemoryStore(trx)
        const all = await store.all(userId)
        const now = timestamp()
        const same = sameAs(all, text)
        const memory = { id: same?.id ?? newId(), text, createdAt: same?.createdAt ?? now, updatedAt: now }
        if (same) await store.replace(userId, memory)
        else if (all.length < maxMemories) await store.insert(userId, memory)
        else {
          throw new AppError("conflict", sentence("memory.too_many", { count: maxMemories }))
        }
        return memory
      }),

    update: (userId, id, text) =>
      db.transaction().execute(async (trx) => {
        const store = createMemoryStore(trx)
        const all = await store.all(userId)
        const before = all.find((memory) => memory.id === id)
        if (!before) throw missing()
        const same = all.find((memory) => memory.id !== id && hasSameMeaning(memory.text, text))
        if (same) throw new AppError("conflict", sentence("memory.same", { fact: same.text }))
        const memory = { ...before, text, updatedAt: timestamp() }
        await store.replace(userId, memory)
        return memory
      }),

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
