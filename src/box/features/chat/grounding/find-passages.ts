import type { ChatMessage, Rewrite } from "../../../../shared/contract/chat.ts"
import type { QuerySource, RetrievalReason } from "../../../../shared/contract/conversations.ts"
import type { FileFilter } from "../../../../shared/contract/file-filter.ts"
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
  /** Narrows the search to these files, apart from attachments. */
  filter?: FileFilter | null | undefined
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
  /** The query that was searched for, and its source. */
  query: string
  querySource: QuerySource
  passages: Passage[]
}

/**
 * Returns the last question of a chat as a search query that needs nothing said before, or null if the model failed, was too slow or may
 * not read the chat. The query is a model's text, so it may only be searched for.
 */
export type RewriteQuestion = (messages: readonly ChatMessage[]) => Promise<string | null>

export interface PassageRequest {
  messages: readonly ChatMessage[]
  vectorIds: string[]
  /** No remote model may read the question. */
  staysHere: boolean
  /** `off`: the question is searched for as it is written. */
  rewrite: Rewrite
  /** Rewrites follow-up questions; null without a model. */
  rewriteQuestion: RewriteQuestion | null
}

const maxQueryLength = 2_000
/** A previous question up to this length may depend on the one before it. */
const maxDependentLength = 120
/** Maximum number of earlier questions that a follow-up may depend on: the previous one, and the one that it depends on in turn. */
const maxEarlier = 2

/**
 * Finds passages for an answer, best first. A question that needs what was said before is rewritten by the model. Without a model, or if
 * that fails, it is searched for alone and together with the previous questions. Passages that are good in both searches come first, so
 * that the question's own words have more weight.
 */
export async function findPassages(
  search: SearchFolders,
  request: PassageRequest,
): Promise<PassagesForAnswer> {
  const { messages, vectorIds, staysHere, rewrite, rewriteQuestion } = request
  const questions = messages
    .filter(({ role, content }) => role === "user" && content.trim() !== "")
    .map(({ content }) => content.trim().slice(0, maxQueryLength))
  const newest = questions.at(-1) ?? ""
  const searchOnly = async (query: string, querySource: QuerySource): Promise<PassagesForAnswer> => {
    const { results, ...found } = await search({ query, vectorIds, staysHere })
    return { ...found, query, querySource, passages: results }
  }
  if (rewrite === "off" || questions.length < 2) return searchOnly(newest, "question")
  const { needsContext } = await import("./follow-up.ts")
  if (!needsContext(newest)) return searchOnly(newest, "question")
  const rewritten = await rewriteQuestion?.(messages)
  if (rewritten) return searchOnly(rewritten, "model")
  const query = [...getEarlier(questions.slice(0, -1)), newest].join("\n")
  const [alone, joined] = await Promise.all([
    search({ query: newest, vectorIds, staysHere }),
    search({ query, vectorIds, staysHere }),
  ])
  return { query, querySource: "earlier_questions", strategy: joined.strategy, ...combine(alone, joined) }
}

/** Returns the last question and, if that is short too, the one before it. */
function getEarlier(questions: readonly string[]): string[] {
  const last = questions.slice(-maxEarlier)
  return (last.at(-1)?.length ?? 0) > maxDependentLength ? last.slice(-1) : last
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
  const max = Math.max(alone.results.length, joined.results.length)
  const left = ranked.slice(max).map(({ id, rank }) => ({ id, rank, reason: "not_best" as const }))
  const others = new Map(
    [...joined.others, ...alone.others, ...left]
      .filter(({ id, reason }) => reason === "not_best" || !byId.has(id))
      .map((other) => [other.id, scaled(other)]),
  )
  for (const { id } of ranked.slice(0, max)) others.delete(id)
  const notices = new Map([...alone.notices, ...joined.notices].map((notice) => [notice.code, notice]))
  return {
    passages: ranked.slice(0, max).map(scaled),
    others: [...others.values()],
    notices: [...notices.values()],
  }
}
