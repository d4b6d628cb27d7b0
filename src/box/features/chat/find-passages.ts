import type { ChatMessage } from "../../../shared/contract/chat.ts"
import type { RetrievalReason } from "../../../shared/contract/conversations.ts"
import type { Notice, Passage, Strategy } from "../../../shared/contract/folders.ts"

/** Searches folders, each with its own settings; best first. */
export type SearchFolders = (search: { query: string; vectorIds: string[] }) => Promise<FoundPassages>

export interface FoundPassages {
  results: Passage[]
  /** Passages that were found but aren't among the results, and why. */
  others: PassedOver[]
  strategy: Strategy
  notices: Notice[]
}

export interface PassedOver extends Pick<Passage, "id" | "score" | "rank"> {
  reason: Exclude<RetrievalReason, "used" | "no_room">
}

export interface PassagesForAnswer extends Omit<FoundPassages, "results"> {
  /** What was searched for, last. */
  query: string
  passages: Passage[]
}

/** A newest message up to this length may lean on the one before it: "And on Fridays?" */
const longestFollowUp = 120
const longestQuery = 2_000
/** A question that its best passage answers this well stands on its own. */
const clearScore = 0.8

/**
 * Passages for an answer, best first. Searches for the newest message and, when it is short and finds nothing clear,
 * also for that message together with the one before; what scores higher in either search comes first.
 */
export async function findPassages(
  search: SearchFolders,
  messages: readonly ChatMessage[],
  vectorIds: string[],
): Promise<PassagesForAnswer> {
  const questions = messages
    .filter(({ role, content }) => role === "user" && content.trim() !== "")
    .map(({ content }) => content.trim().slice(0, longestQuery))
  const newest = questions.at(-1) ?? ""
  const previous = questions.at(-2)
  const alone = await search({ query: newest, vectorIds })
  const isClear = (alone.results[0]?.score ?? 0) >= clearScore
  if (previous === undefined || newest.length > longestFollowUp || isClear) {
    const { results, ...found } = alone
    return { ...found, query: newest, passages: results }
  }
  const query = `${previous}\n${newest}`
  const joined = await search({ query, vectorIds })
  const best = new Map<string, Passage>()
  for (const passage of [...alone.results, ...joined.results]) {
    if ((best.get(passage.id)?.score ?? -1) < passage.score) best.set(passage.id, passage)
  }
  const most = Math.max(alone.results.length, joined.results.length)
  const passages = [...best.values()].sort((a, b) => b.score - a.score).slice(0, most)
  const notices = new Map([...alone.notices, ...joined.notices].map((notice) => [notice.code, notice]))
  const chosen = new Set(passages.map(({ id }) => id))
  const others = new Map<string, PassedOver>()
  for (const { id, score, rank } of best.values()) others.set(id, { id, score, rank, reason: "not_best" })
  for (const other of [...alone.others, ...joined.others]) {
    if ((others.get(other.id)?.score ?? -1) < other.score) others.set(other.id, other)
  }
  return {
    query,
    strategy: joined.strategy,
    passages,
    others: [...others.values()].filter(({ id }) => !chosen.has(id)),
    notices: [...notices.values()],
  }
}
