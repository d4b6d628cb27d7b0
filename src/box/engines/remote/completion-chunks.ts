import { createParser } from "eventsource-parser"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { breathe } from "../../core/waiting/breathe.ts"
import type { EngineToolCall } from "../engine.ts"

/** Longest event of the server that is read, in characters, and the most calls and argument text of one answer. */
const limits = { event: 1 << 20, calls: 64, args: 1 << 20, name: 200 }

/** What isn't a number of tokens is none. */
const Tokens = z.int().min(0).max(1e9).catch(0)

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().nonnegative().default(0),
                  id: z.string().nullish(),
                  function: z
                    .object({ name: z.string().nullish(), arguments: z.string().nullish() })
                    .optional(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
        stop_reason: z.unknown().optional(),
      }),
    )
    .default([]),
  usage: z
    .object({
      prompt_tokens: Tokens,
      completion_tokens: Tokens,
      prompt_tokens_details: z.object({ cached_tokens: Tokens.nullish() }).nullish(),
    })
    .nullish(),
  error: z.union([z.string(), z.object({ message: z.string() })]).nullish(),
})
export type CompletionChunk = z.infer<typeof Chunk>

/** The chunks of a completion stream, as `clean` leaves them. Throws AppError when the stream breaks off, reports an error or is no such stream. */
export async function* readChunks(
  stream: AsyncIterable<string>,
  clean: (value: unknown) => unknown,
): AsyncGenerator<CompletionChunk> {
  const events: string[] = []
  const parser = createParser({
    onEvent: ({ data }) => events.push(data),
    onError(cause) {
      if (cause.type === "max-buffer-size-exceeded")
        throw new AppError("unavailable", sentence("remote.piece_too_large"), { cause })
    },
    maxBufferSize: limits.event,
  })
  let begun = false
  let sinceEvent = 0
  for await (const text of stream) {
    parser.feed(text)
    // The parser passes over lines of other kinds, however long they are.
    sinceEvent = events.length > 0 ? 0 : sinceEvent + text.length
    if (sinceEvent > 2 * limits.event) throw new AppError("unavailable", sentence("remote.not_a_completion"))
    for (const data of events.splice(0)) {
      begun = true
      await breathe() // what has arrived comes without a pause
      if (data === "[DONE]") return
      yield parseChunk(data, clean)
    }
  }
  // What has none of a completion's events, such as a page to sign in at, is something else altogether.
  if (!begun) throw new AppError("unavailable", sentence("remote.not_a_completion"))
  throw new AppError("engine_crashed", sentence("remote.broke_off"))
}

/** Whether a server said more at once, or in all, than is read of one answer. */
export const saidTooMuch = (error: unknown): error is AppError =>
  error instanceof AppError &&
  ["remote.piece_too_large", "remote.answer_too_large"].includes(error.sentence.field.sentence?.code ?? "")

function parseChunk(data: string, clean: (value: unknown) => unknown): CompletionChunk {
  let value: unknown
  try {
    value = clean(JSON.parse(data))
  } catch (cause) {
    throw new AppError("unavailable", sentence("remote.not_a_completion"), {
      cause,
    })
  }
  const parsed = Chunk.safeParse(value)
  if (!parsed.success)
    throw new AppError("unavailable", sentence("remote.not_a_completion"), {
      cause: parsed.error,
    })
  const { error } = parsed.data
  if (error === null || error === undefined) return parsed.data
  const reason = (typeof error === "string" ? error : error.message).slice(0, 300)
  throw new AppError("unavailable", sentence("remote.failed_answering", { words: reason }))
}

/** Puts the pieces of function calls together, which come spread over many chunks. */
export interface CallCollector {
  add(pieces: NonNullable<NonNullable<CompletionChunk["choices"][number]["delta"]>["tool_calls"]>): void
  /** Throws AppError where one calls nothing that could have a name. */
  calls(): EngineToolCall[]
}

const isName = (name: string) => name !== "" && name.length <= limits.name && !/[\s\p{Cc}\p{Cf}]/u.test(name)

export function createCallCollector(): CallCollector {
  const calls = new Map<number, EngineToolCall>()
  return {
    add(pieces) {
      for (const { index, id, function: piece } of pieces) {
        const call = calls.get(index) ?? { toolCallId: "", name: "", args: "" }
        calls.set(index, call)
        call.toolCallId ||= id ?? ""
        call.name ||= piece?.name ?? ""
        call.args += piece?.arguments ?? ""
        if (calls.size > limits.calls || call.args.length > limits.args)
          throw new AppError("unavailable", sentence("remote.too_many_calls"))
      }
    },
    calls() {
      if (![...calls.values()].every(({ name }) => isName(name)))
        throw new AppError("unavailable", sentence("remote.not_a_completion"))
      return [...calls.entries()]
        .sort(([a], [b]) => a - b)
        .map(([index, call]) => ({
          ...call,
          toolCallId: call.toolCallId === "" ? `call_${index}` : call.toolCallId,
          args: call.args === "" ? "{}" : call.args,
        }))
    },
  }
}
