import type { AnswerNotice } from "../../../../shared/contract/chat.ts"
import type { Passage } from "../../../../shared/contract/folders.ts"
import type { ChatEngine } from "../../../engines/engine.ts"

/** Maximum share of the model's context for passages and the newest message together. */
const contextShare = 0.5

/** The other parts of a prompt besides the passages. */
export interface Surroundings {
  newest: string
  /** Text that is never left out: an assistant's instructions and system messages. */
  instructions: string
  /** Share of the context for passages and the newest message together; half by default. */
  share?: number | undefined
}

/** Returns the maximum number of tokens for passages that leaves enough of the model's context for the chat and the answer. */
export async function roomForPassages(
  engine: ChatEngine,
  { newest, instructions, share = contextShare }: Surroundings,
): Promise<number> {
  const [question, always] = await Promise.all([engine.countTokens(newest), engine.countTokens(instructions)])
  const { contextSize } = engine.model
  const promptRoom = Math.floor(contextSize * (1 - answerShare)) - always - tokensOfRules
  return Math.min(Math.floor(contextSize * share), promptRoom) - question - tokensAround
}

export interface Fitting<P> {
  taken: P[]
  /** Remaining tokens. */
  room: number
}

/** Returns the passages that fit, best first. */
export async function takeFitting<P extends { text: string }>(
  engine: ChatEngine,
  passages: readonly P[],
  room: number,
): Promise<Fitting<P>> {
  const sizes = await Promise.all(passages.map(({ text }) => engine.countTokens(text)))
  const taken = passages.filter((_, index) => {
    const size = (sizes[index] ?? 0) + tokensAround
    if (size > room) return false
    room -= size
    return true
  })
  return { taken, room }
}

/** Share of the context reserved for the answer, however long the instructions are. */
const answerShare = 0.25
const tokensOfRules = 150
/** Approximate number of tokens for the tags and the name around a passage. */
const tokensAround = 60

/** A passage for a citation, with the ids of the passages merged into it. */
export interface CitedPassage {
  passage: Passage
  ids: string[]
}

/** Maximum length of text that a passage repeats from the previous one; the chunker repeats about 100 characters. */
const maxOverlap = 400
const minOverlapLength = 12

/** With more passages, a citation would be too imprecise about the location. */
const maxRunLength = 4

/**
 * Merges consecutive passages of a document into one, at the position of the best one. It is cited by the location of the first passage, or
 * by the line of the best one. Repeated text is left out, so the result is never longer than its parts.
 */
export function mergeNeighbours(passages: readonly Passage[]): CitedPassage[] {
  const byPosition = new Map(passages.map((passage) => [getPositionKey(passage, 0), passage]))
  const done = new Set<Passage>()
  const next = (passage: Passage, offset: number) => {
    const neighbour = byPosition.get(getPositionKey(passage, offset))
    return neighbour && !done.has(neighbour) ? neighbour : undefined
  }
  return passages.flatMap((best) => {
    if (done.has(best)) return []
    const run = [best]
    for (let before; run.length < maxRunLength && (before = next(run[0] ?? best, -1));) run.unshift(before)
    for (let after; run.length < maxRunLength && (after = next(run.at(-1) ?? best, 1));) run.push(after)
    for (const part of run) done.add(part)
    return [{ passage: join(run, best), ids: run.map(({ id }) => id) }]
  })
}

/**
 * Returns the key of the passage at this offset in its document. A passage without a position has no neighbours, and a model's description
 * of an image isn't cited as text of the document.
 */
function getPositionKey({ id, fileId, position, location }: Passage, offset: number): string {
  const kind = location.described ? "/described" : ""
  return position === undefined ? `${id}/${offset}` : `${fileId}/${position + offset}${kind}`
}

function join(run: readonly Passage[], best: Passage): Passage {
  const [first = best, ...rest] = run
  const text = rest.reduce((joined, next) => joined + removeRepeatedStart(joined, first, next), first.text)
  const location = best.location.line === undefined ? first.location : best.location
  return { ...first, location, text, score: best.score, rank: best.rank }
}

/** Returns a passage without the heading, the table header and the end of the previous text that it repeats. */
function removeRepeatedStart(joined: string, first: Passage, { text, location }: Passage): string {
  const lines = text.split("\n")
  const leading = first.text.split("\n")
  let repeated = lines[0] === location.heading && location.heading === first.location.heading ? 1 : 0
  while (repeated < lines.length - 1 && lines[repeated] === leading[repeated]) repeated++
  const rest = lines.slice(repeated).join("\n")
  for (let length = Math.min(maxOverlap, rest.length, joined.length); length >= minOverlapLength; length--) {
    if (joined.endsWith(rest.slice(0, length))) return rest.slice(length)
  }
  return `\n${rest}`
}

/** Text of attached files for an answer, placed before the search results. */
export interface AttachedTexts {
  cited: CitedPassage[]
  /** The files that the text comes from. Search results from these files are left out. */
  fileIds: ReadonlySet<string>
  tokens: number
  /** Text for the model about files that it doesn't receive completely. */
  said: string[]
  notices: AnswerNotice[]
}

export interface AttachedReader {
  /** Returns as much as fits the available tokens. */
  fitting(engine: ChatEngine, room: number): Promise<AttachedTexts>
  /** Returns the beginnings of files without search results, for quoting. */
  beginnings(found: readonly Passage[]): Promise<AttachedTexts>
}

export const nothingAttached: AttachedTexts = {
  cited: [],
  fileIds: new Set(),
  tokens: 0,
  said: [],
  notices: [],
}
