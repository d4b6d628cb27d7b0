import type { ChatMessage } from "../../../../shared/contract/chat.ts"
import type { RetrievalReason } from "../../../../shared/contract/conversations.ts"
import type { Notice, Passage, Strategy } from "../../../../shared/contract/folders.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"

/** Searches folders, each with its own settings; best first. */
export type SearchFolders = (search: {
  query: string
  vectorIds: string[]
  /** Maximum number of passages. Defaults to the folders' settings. */
  topK?: number | undefined
  /** No remote model may read the question. */
  staysHere: boolean
  /** Files written by a model to search, in addition to those that a folder includes; none by default. */
  generated?: GeneratedFiles | undefined
}) => Promise<FoundPassages>

export interface FoundPassages {
  results: Passage[]
  /** Passages that were found but aren't among the results, with the reason. */
  others: OmittedPassage[]
  strategy: Strategy
  notices: Notice[]
}

export interface OmittedPassage extends Pick<Passage, "id" | "score" | "rank"> {
  reason: Exclude<RetrievalReason, "used" | "no_room">
}

export interface PassagesForAnswer extends Omit<FoundPassages, "results"> {
  /** The query of the last search. */
  query: string
  passages: Passage[]
}

/** A newest message up to this length may depend on the previous ones: "And on Fridays?" */
const maxFollowUpLength = 120
const maxQueryLength = 2_000
/** Maximum number of earlier questions that a follow-up may depend on: the previous one, and the one that it depends on in turn. */
const maxEarlier = 2

/**
 * Finds passages for an answer, best first. Searches for the newest message and, if it is short, also for it together with the previous
 * questions. Passages that are good in both searches come first. A passage for a follow-up contains words of both; a passage on a new
 * subject contains its own words but none of the old subject's.
 */
export async function findPassages(
  search: SearchFolders,
  messages: readonly ChatMessage[],
  vectorIds: string[],
  staysHere = false,
): Promise<PassagesForAnswer> {
  const questions = messages
    .filter(({ role, content }) => role === "user" && content.trim() !== "")
    .map(({ content }) => content.trim().slice(0, maxQueryLength))
  const newest = questions.at(-1) ?? ""
  const earlier = newest.length > maxFollowUpLength ? [] : leanedOn(questions.slice(0, -1))
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

/** Returns the last question and, if that is short too, the one before it. */
function leanedOn(questions: readonly string[]): string[] {
  const last = questions.slice(-maxEarlier)
  return (last.at(-1)?.length ?? 0) > maxFollowUpLength ? last.slice(-1) : last
}

/** Ranks both searches' passages by the sum of their scores. Returns as many as the longer result has. */
function combine(
  alone: FoundPassages,
  joined: FoundPassages,
): Pick<PassagesForAnswer, "passages" | "others" | "notices"> {
  const sums = new Map<string, number>()
  for (const { results, others } of [alone, joined]) {
    for (const { id, score } of [...results, ...others]) sums.set(id, (sums.get(id) ?? 0) + score)
  }
  const getSum = ({ id }: { id: string }) => sums.get(id) ?? 0
  const byId = new Map([...alone.results, ...joined.results].map((passage) => [passage.id, passage]))
  const ranked = [...byId.values()].sort((a, b) => getSum(b) - getSum(a))
  const best = Math.max(0, ...ranked.map(({ score }) => score))
  const largest = ranked[0] ? getSum(ranked[0]) : 0
  const scaled = <P extends { id: string }>(passage: P) => ({
    ...passage,
    score: largest > 0 ? best * Math.min(1, getSum(passage) / largest) : 0,
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
