import { hash } from "node:crypto"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { untilAborted } from "../../../core/waiting/abort-and-timeout.ts"
import { type ChatEngine, isRefusal } from "../../../engines/engine.ts"
import { isAnswerTooLarge } from "../../../engines/remote/completion-chunks.ts"
import { askModel, type Room, type ModelReply } from "./ask-model.ts"
import { charactersIn, halve, type Part } from "./documents.ts"
import { type NoteOrigin, type NoteStore, modelKey, partsAtOnce } from "./notes/note-store.ts"
import { repeatsItself, isNothingRelevant, type Note } from "./notes/notes.ts"
import { partPrompt, quotePart, type PartTask } from "./part-prompt.ts"

export interface ReadingModel {
  engine: ChatEngine
  conversationKey: string
  room: Room
  /** Returns whether the model may receive the files. Called before each request that contains any of them. */
  mayBeSent(): Promise<boolean>
}

export interface PartReadingDeps extends ReadingModel {
  task: PartTask
  notes: Pick<NoteStore, "find" | "keep" | "storeCost">
  logger: Logger
}

/** The result of reading a part. */
export interface PartNotes {
  notes: Note[]
  /** Blocks of the part that the model didn't read, with the reasons. */
  unread: ReadonlyMap<number, Sentence>
  /** The notes were stored earlier, so the part isn't read again. */
  isCached?: true
}

/** Thrown when a remote model may no longer receive the files. */
export class Withheld extends Error {
  override readonly name = "Withheld"
}

/** Reads parts, some concurrently, and yields each with its number when it is done. Ends early when the signal is aborted. */
export async function* readParts(
  deps: PartReadingDeps,
  parts: readonly Part[],
  signal: AbortSignal,
): AsyncGenerator<[number, PartNotes]> {
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const running = new Map<number, Promise<[number, PartNotes | null]>>()
  try {
    for (let next = 0; next < parts.length || running.size > 0;) {
      for (; next < parts.length && running.size < partsAtOnce(deps.engine) && !signal.aborted; next++) {
        const number = next
        const reading = readOrRemember(deps, parts[number] ?? [], either)
        running.set(
          number,
          reading.then((notes) => [number, notes]),
        )
      }
      if (running.size === 0) return
      const [number, notes] = await Promise.race(running.values())
      running.delete(number)
      if (notes !== null) yield [number, notes]
    }
  } finally {
    ending.abort()
    await Promise.allSettled(running.values())
  }
}

/** Identifies notes by model and question. Different instructions lead to different notes. */
export const getOrigin = (engine: ChatEngine, task: PartTask): NoteOrigin => ({
  model: modelKey(engine),
  question: hash("sha256", JSON.stringify(partPrompt([], task)), "buffer"),
})

function getKey(engine: ChatEngine, task: PartTask, part: Part): Buffer {
  const origin = getOrigin(engine, task)
  return hash(
    "sha256",
    JSON.stringify([origin.model, origin.question.toString("hex"), quotePart(part)]),
    "buffer",
  )
}

async function readOrRemember(
  deps: PartReadingDeps,
  part: Part,
  signal: AbortSignal,
): Promise<PartNotes | null> {
  const { engine, task, notes, logger } = deps
  const before = await notes.find(getKey(engine, task, part))
  if (before) return { notes: before, unread: new Map(), isCached: true }
  const began = performance.now()
  const meter = { tokens: 0 }
  const read = await readPart({ ...deps, meter }, part, signal)
  if (read === null) return null
  const cost = {
    characters: charactersIn(part),
    milliseconds: Math.ceil(performance.now() - began),
    tokens: meter.tokens > 0 ? meter.tokens : null,
  }
  // A server reports the name of its model with its first answer.
  const kept =
    read.unread.size > 0
      ? notes.storeCost(modelKey(engine), cost) // failed readings also count towards the model's speed
      : notes.keep({
          ...getOrigin(engine, task),
          hash: getKey(engine, task, part),
          fileIds: part.map(({ document }) => document.file.id),
          notes: read.notes,
          ...cost,
        })
  await kept
    // The part is read again next time.
    .catch((error: unknown) => logger.debug({ err: error }, "Notes on a part couldn't be stored"))
  return read
}

/** Counts the tokens that a part sends to the model, including its halves and retries. */
interface Metered extends PartReadingDeps {
  meter: { tokens: number }
}

/** Maximum number of times a part is halved because its notes exceed the model's output limit. */
const maxHalvings = 4

/** Returns notes on a part. Reads it in halves if it is too long or yields too many notes. Returns null if the signal is aborted. */
async function readPart(
  deps: Metered,
  part: Part,
  signal: AbortSignal,
  halvings = 0,
): Promise<PartNotes | null> {
  const halves = halve(part)
  const readInHalves = (of: NonNullable<typeof halves>) => readHalves(deps, of, signal, halvings + 1)
  if (halves) {
    const tokens = await untilAborted(deps.engine.countTokens(quotePart(part)), signal)
    if (tokens === undefined) return null
    if (tokens > deps.room.part) return readInHalves(halves)
  }
  const texts = part.map(({ block }) => block.text)
  let [notes, problem]: [Note[], Problem | null] = [[], null]
  for (const _ of ["first", "again"]) {
    const reply = await askAbout(deps, part, signal)
    if (reply instanceof AppError) {
      if (halves) return readInHalves(halves)
      throw reply // not caused by the part's length
    }
    if (reply === "answer_too_large") {
      problem = reply
      continue
    }
    if (reply.finishReason === "aborted") return null
    problem = getProblem(reply)
    if (problem === "said_too_much" && halves && halvings < maxHalvings) return readInHalves(halves)
    notes = isNothingRelevant(reply.text) ? [] : deps.task.parse(reply.text, texts)
    if (problem === null) return { notes, unread: new Map() }
    if (problem === "said_too_much") break
  }
  const reason = sentence(`reading.${problem ?? "nothing_noted"}`)
  return { notes, unread: new Map(texts.map((_, index) => [index, reason])) }
}

type Problem = "answer_too_large" | "nothing_noted" | "repeated_itself" | "said_too_much"

function getProblem({ text, finishReason }: ModelReply): Problem | null {
  if (text.trim() === "") return "nothing_noted"
  if (finishReason !== "length") return null
  return repeatsItself(text) ? "repeated_itself" : "said_too_much"
}

async function readHalves(
  deps: Metered,
  [one, other]: readonly [Part, Part],
  signal: AbortSignal,
  halvings: number,
): Promise<PartNotes | null> {
  const first = await readPart(deps, one, signal, halvings)
  const second = first && (await readPart(deps, other, signal, halvings))
  if (!second) return null
  const [before, after] = [one.at(-1), other[0]]
  const isOneBlock = before?.document === after?.document && before?.index === after?.index
  const offset = isOneBlock ? 0 : one.length
  const moved = (blocks: readonly number[]) => blocks.map((block) => block + offset)
  return {
    notes: [...first.notes, ...second.notes.map((note) => ({ ...note, blocks: moved(note.blocks) }))],
    unread: new Map([
      ...first.unread,
      ...[...second.unread].map(([block, reason]) => [block + offset, reason] as const),
    ]),
  }
}

/** Returns the model's answer for a part, "answer_too_large", or the error with which the model refused the part, which may be too long. */
async function askAbout(
  { engine, conversationKey, task, room, mayBeSent, meter }: Metered,
  part: Part,
  signal: AbortSignal,
): Promise<ModelReply | "answer_too_large" | AppError> {
  if (!(await mayBeSent())) throw new Withheld()
  const messages = partPrompt(part, task)
  try {
    const reply = await askModel(engine, { messages, conversationKey, maxTokens: room.notes }, signal)
    meter.tokens += reply.usage?.promptTokens ?? 0
    return reply
  } catch (error) {
    if (isRefusal(error)) return error
    if (isAnswerTooLarge(error)) return "answer_too_large"
    throw error
  }
}
