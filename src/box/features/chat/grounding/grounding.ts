import type { ChatMessage, AnswerNotice, Source } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"
import { createNotice } from "../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { StoredCandidate, StoredRetrieval } from "../transcript/retrieval-store.ts"
import { toSources } from "./cite-passages.ts"
import {
  findPassages,
  type PassageRequest,
  type PassagesForAnswer,
  type RewriteQuestion,
  type SearchFolders,
} from "./find-passages.ts"
import {
  nothingAttached,
  type AttachedReader,
  mergeNeighbours,
  roomForPassages,
  takeFitting,
} from "./fit-passages.ts"

/** Returns the caller's system messages, wherever they are in the list. */
export const systemMessages = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap(({ role, content }) => (role === "system" ? [content] : []))

/** The passages that an answer is based on, and the others that were considered. */
export interface Grounding {
  sources: Source[]
  /** Text for the model about files that it doesn't receive completely. */
  said: readonly string[]
  notices: AnswerNotice[]
  retrieval: StoredRetrieval
}

export interface GroundingRequest extends Omit<PassageRequest, "rewriteQuestion"> {
  boxAddress: string
  assistant: { instructions: string } | null
  /** Whether tools need space in the model's context too. */
  hasTools: boolean
}

/** Maximum number of passages quoted by an answer without a model, and their minimum score relative to the best. */
const maxQuoted = 5
const quotedShare = 0.5
/** Maximum number of passages stored with an answer, unless its folders ask for more. */
const maxKept = 40
/** Share of the context for passages and the newest message if tools need space too. */
const contextShareWithTools = 0.35

/**
 * Reads the attachments and finds the passages for the newest message, as much of both as fits the model's context, and numbers them. If
 * the search fails, a model answers without passages, after a notice. Without a model, this throws the search's error.
 */
export async function findGrounding(
  {
    engine,
    search,
    attached: reader,
    rewriteQuestion,
  }: {
    engine: ChatEngine | null
    search: SearchFolders
    /** Reads attachments; undefined if there are none. */
    attached: AttachedReader | undefined
    /** Rewrites follow-up questions; null without a model. */
    rewriteQuestion: RewriteQuestion | null
  },
  { messages, vectorIds, staysHere, rewrite, boxAddress, assistant, hasTools }: GroundingRequest,
): Promise<Grounding> {
  const { query, querySource, strategy, passages, others, notices } = await findPassages(search, {
    messages,
    vectorIds,
    staysHere,
    rewrite,
    rewriteQuestion,
  }).catch((error: unknown) => {
    if (engine && error instanceof AppError) return answerWithoutSearch(error) // an answer by quotation needs the search
    throw error
  })
  const room = engine
    ? await roomForPassages(engine, {
        newest: messages.at(-1)?.content ?? "",
        instructions: [assistant?.instructions ?? "", ...systemMessages(messages)].join("\n"),
        share: hasTools ? contextShareWithTools : undefined,
      })
    : 0
  const attached =
    (await (engine ? reader?.fitting(engine, room) : reader?.beginnings(passages))) ?? nothingAttached
  const found = passages.filter(({ fileId }) => !attached.fileIds.has(fileId))
  const best = found[0]?.score ?? 0
  const fitting = engine
    ? (await takeFitting(engine, found, room - attached.tokens)).taken
    : found.filter(({ score }) => score > best * quotedShare).slice(0, maxQuoted)
  const cited = [...attached.cited, ...mergeNeighbours(fitting)]
  const sources = toSources(
    cited.map(({ passage }) => passage),
    boxAddress,
  )
  const citations = new Map(cited.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1])))
  const given = attached.cited.flatMap(({ ids }, index) =>
    ids.map((id): StoredCandidate => ({ id, score: 1, rank: {}, citation: index + 1, reason: "used" })),
  )
  const considered = found.map(({ id, score, rank }): StoredCandidate => {
    const citation = citations.get(id) ?? null
    const leftOut = engine ? "no_room" : "not_best"
    return { id, score, rank, citation, reason: citation === null ? leftOut : "used" }
  })
  const left = others
    .filter(({ id }) => !citations.has(id))
    .map((other): StoredCandidate => ({ ...other, citation: null }))
    .sort(byScore)
    .slice(0, Math.max(0, maxKept - considered.length))
  const spaceNotices =
    attached.cited.length + attached.notices.length > 0 ? [] : roomNotices(found.length, fitting.length)
  return {
    sources,
    said: attached.said,
    notices: [
      ...attached.notices,
      ...notices,
      ...(notices.some(({ code }) => explaining.has(code)) ? [] : spaceNotices),
    ],
    retrieval: {
      query,
      querySource,
      strategy,
      candidates: [...given, ...[...considered, ...left].sort(byScore)],
    },
  }
}

const unavailable = "index_unavailable"
/** Notices that already say why there are no passages. */
const explaining = new Set([unavailable, "filter_matches_no_file", "nothing_in_filter"])

function answerWithoutSearch({ message, sentence }: AppError): PassagesForAnswer {
  const notices = [{ code: unavailable, message, sentence: sentence.field.sentence }]
  return { query: "", querySource: "question", strategy: "keyword", passages: [], others: [], notices }
}

function roomNotices(found: number, fitting: number): Notice[] {
  if (found === 0) return [createNotice("no_passages")]
  return fitting > 0 ? [] : [createNotice("passages_left_out")]
}

const byScore = (a: StoredCandidate, b: StoredCandidate) => b.score - a.score
