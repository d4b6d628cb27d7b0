import type { ChatMessage } from "../../../../shared/contract/chat.ts"
import type { RetrievalReason } from "../../../../shared/contract/conversations.ts"
import type { Notice, Passage, Strategy } from "../../../../shared/contract/folders.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"

/** Searches folders, each with its own settings; best first. */
export type SearchFolders = (search: {
  query: string
  vectorIds: string[]
  /** Passages at most; as the folders are set unless given. */
  topK?: number | undefined
  /** No model elsewhere may read the question. */
  staysHere: boolean
  /** Files written by a model that are searched, as well as those that a folder includes; none by default. */
  generated?: GeneratedFiles | undefined
}) => Promise<FoundPassages>

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

/** A newest message up to this length may lean on the ones before it: "And on Fridays?" */
const longestFollowUp = 120
const longestQuery = 2_000
/** Earlier questions that a follow-up may lean on: the one before, and the one that this leans on in turn. */
const mostEarlier = 2

/**
 * Passages for an answer, best first. Searches for the newest message and, when it is short, also for it together with
 * the questions before. What is good in both searches comes first: a follow-up's passage holds the words of both, and
 * a new subject's passage holds all of its own words, where those of the old one hold none.
 */
export async function findPassages(
  search: SearchFolders,
  messages: readonly ChatMessage[],
  vectorIds: string[],
  staysHere = false,
): Promise<PassagesForAnswer> {
  const questions = messages
    .filter(({ role, content }) => role === "user" && content.trim() !== "")
    .map(({ content }) => content.trim().slice(0, longestQuery))
  const newest = questions.at(-1) ?? ""
  const earlier = newest.length > longestFollowUp ? [] : leanedOn(questions.slice(0, -1))
  if (earlier.length === 0) {
    const { results, ...found } = await search({ query: newest, vectorIds, staysHere })
    return { ...found, query: newest, passages: results }
  }
  const query = [...earlier, newest].join("\n")
  const [alone, joined] = await Promise.all([
    search({ query: newest, vectorIds, staysHere }),
    search({ query, vectorIds, staysHere }),
  ])
  return { query, strategy: joined.strategy, ...combine(alone, joined) }
}

/** The last question and, if that is short too, the one before it. */
function leanedOn(questions: readonly string[]): string[] {
  const last = questions.slice(-mostEarlier)
  return (last.at(-1)?.length ?? 0) > longestFollowUp ? last.slice(-1) : last
}

/** Both searches' passages by the sum of their scores, as many as the longer one found. */
function combine(
  alone: FoundPassages,
  joined: FoundPassages,
): Pick<PassagesForAnswer, "passages" | "others" | "notices"> {
  const sums = new Map<string, number>()
  for (const { results, others } of [alone, joined]) {
    for (const { id, score } of [...results, ...others]) sums.set(id, (sums.get(id) ?? 0) + score)
  }
  const sumOf = ({ id }: { id: string }) => sums.get(id) ?? 0
  const byId = new Map([...alone.results, ...joined.results].map((passage) => [passage.id, passage]))
  const ranked = [...byId.values()].sort((a, b) => sumOf(b) - sumOf(a))
  const best = Math.max(0, ...ranked.map(({ score }) => score))
  const largest = ranked[0] ? sumOf(ranked[0]) : 0
  const scaled = <P extends { id: string }>(passage: P) => ({
    ...passage,
    score: largest > 0 ? best * Math.min(1, sumOf(passage) / largest) : 0,
  })
  const most = Math.max(alone.results.length, joined.results.length)
  const left = ranked.slice(most).map(({ id, rank }) => ({ id, rank, reason: "not_best" as const }))
  const others = new Map(
    [...joined.others, ...alone.others, ...left]
      .filter(({ id, reason }) => reason === "not_best" || !byId.has(id))
      .map((other) => [other.id, scaled(other)]),
  )
  for (const { id } of ranked.slice(0, most)) others.delete(id)
  const notices = new Map([...alone.notices, ...joined.notices].map((notice) => [notice.code, notice]))
  return {
    passages: ranked.slice(0, most).map(scaled),
    others: [...others.values()],
    notices: [...notices.values()],
  }
}
