import type { ChatMessage, Source } from "../../../../shared/contract/chat.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { findPassages, type PassagesForAnswer, type SearchFolders } from "./find-passages.ts"
import { mergeNeighbours } from "./merge-neighbours.ts"
import { fitPassages } from "./fit-passages.ts"
import { toSources } from "./source-link.ts"
import type { KeptCandidate, KeptRetrieval } from "../transcript/retrieval-store.ts"
import { systemMessages } from "./system-messages.ts"
import { noticeOf } from "../../../../shared/sentences/sentences.ts"

/** The passages that an answer rests on, and what else was considered for it. */
export interface Grounding {
  sources: Source[]
  notices: Notice[]
  retrieval: KeptRetrieval
}

export interface GroundingRequest {
  messages: readonly ChatMessage[]
  vectorIds: string[]
  staysHere: boolean
  boxAddress: string
  assistant: { instructions: string } | null
  /** Tools need room in the model's context too. */
  hasTools: boolean
}

/** Passages that an answer without a model quotes: few, and only those about as good as the best. */
const mostQuoted = 5
const quotedShare = 0.5
/** Passages that are kept with an answer, unless its folders ask for more. */
const mostKept = 40
/** Share of the context for passages and the newest message, where tools need room too. */
const shareBesideTools = 0.35

/**
 * Finds the passages for the newest message, as many as the model's context takes, and numbers them. Without a search
 * index a model answers by itself, after a notice; without a model too this throws what the search throws.
 */
export async function findGrounding(
  { engine, search }: { engine: ChatEngine | null; search: SearchFolders },
  { messages, vectorIds, staysHere, boxAddress, assistant, hasTools }: GroundingRequest,
): Promise<Grounding> {
  const { query, strategy, passages, others, notices } = await findPassages(
    search,
    messages,
    vectorIds,
    staysHere,
  ).catch((error: unknown) => {
    if (engine && error instanceof AppError) return withoutSearch(error) // quotations can't do without
    throw error
  })
  const best = passages[0]?.score ?? 0
  const fitting = engine
    ? await fitPassages(engine, passages, {
        newest: messages.at(-1)?.content ?? "",
        instructions: [assistant?.instructions ?? "", ...systemMessages(messages)].join("\n"),
        share: hasTools ? shareBesideTools : undefined,
      })
    : passages.filter(({ score }) => score > best * quotedShare).slice(0, mostQuoted)
  const cited = mergeNeighbours(fitting)
  const sources = toSources(
    cited.map(({ passage }) => passage),
    boxAddress,
  )
  const citations = new Map(cited.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1])))
  const found = passages.map(({ id, score, rank }): KeptCandidate => {
    const citation = citations.get(id) ?? null
    const leftOut = engine ? "no_room" : "not_best"
    return { id, score, rank, citation, reason: citation === null ? leftOut : "used" }
  })
  const left = others
    .map((other): KeptCandidate => ({ ...other, citation: null }))
    .sort(byScore)
    .slice(0, Math.max(0, mostKept - found.length))
  return {
    sources,
    notices: notices.some(({ code }) => code === unavailable)
      ? notices
      : [...notices, ...roomNotices(passages.length, fitting.length)],
    retrieval: { query, strategy, candidates: [...found, ...left].sort(byScore) },
  }
}

const unavailable = "index_unavailable"

function withoutSearch({ message, sentence }: AppError): PassagesForAnswer {
  const notices = [{ code: unavailable, message, sentence: sentence.field.sentence }]
  return { query: "", strategy: "keyword", passages: [], others: [], notices }
}

function roomNotices(found: number, fitting: number): Notice[] {
  if (found === 0) return [noticeOf("no_passages")]
  return fitting > 0 ? [] : [noticeOf("passages_left_out")]
}

const byScore = (a: KeptCandidate, b: KeptCandidate) => b.score - a.score
