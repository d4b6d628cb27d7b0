import { AppError, type FieldIssue, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { EngineEvent } from "../../engines/engine.ts"

/** How a request format reports an error of the engine. */
export interface Blame {
  /** The parameter to name if the engine names none. */
  prompt: string
  /** Returns the format's name for a chat completions parameter. */
  rename?(parameter: string): string
  /** Whether the format promises that no message is left out. If so, a history that doesn't fit is refused. */
  requiresFullHistory?: boolean
}

/** Waits for the first event, so that earlier failures become the response's HTTP status. */
export async function started(
  events: AsyncIterable<EngineEvent>,
  format: Blame,
): Promise<AsyncIterable<EngineEvent>> {
  const iterator = events[Symbol.asyncIterator]()
  const first = await iterator.next().catch((error: unknown) => {
    throw blamed(error, format)
  })
  if (
    format.requiresFullHistory === true &&
    first.value?.type === "start" &&
    first.value.droppedMessages > 0
  ) {
    await iterator.return?.()
    throw invalidField(format.prompt, sentence("completions.history_too_long"))
  }
  return (async function* () {
    try {
      for (let step = first; step.done !== true; step = await iterator.next()) yield step.value
    } finally {
      await iterator.return?.()
    }
  })()
}

function blamed(error: unknown, { prompt, rename }: Blame): unknown {
  if (!(error instanceof AppError) || error.code !== "validation") return error
  if (error.details === undefined) return invalidField(prompt, error.sentence)
  if (rename === undefined) return error
  const details = (error.details as FieldIssue[]).map((issue) => ({ ...issue, field: rename(issue.field) }))
  return new AppError("validation", error.sentence, { details })
}

/** Yields the events of an answer that may call at most one function. */
export async function* keepFirstCall(events: AsyncIterable<EngineEvent>): AsyncGenerator<EngineEvent> {
  let called = false
  for await (const event of events) {
    if (event.type === "tool-call" && called) continue
    called ||= event.type === "tool-call"
    yield event
  }
}

/** Counts answers and their tokens. */
export interface AnswerQuota {
  /** Throws `quota_exceeded`. */
  countAnswer(userId: string): Promise<void>
  recordTokens(userId: string, tokens: number): Promise<void>
}

/** Passes on the events and counts their tokens before the end is sent. If the answer is cut off, counts the tokens so far. */
export async function* counted(
  events: AsyncIterable<EngineEvent>,
  userId: string,
  quota: AnswerQuota,
  logger: Logger,
): AsyncGenerator<EngineEvent> {
  let tokens = 0
  let isCounted = false
  const count = async () => {
    isCounted = true
    await quota
      .recordTokens(userId, tokens)
      .catch((error: unknown) => logger.error({ err: error }, "Counting tokens failed"))
  }
  try {
    for await (const event of events) {
      if (event.type === "start") tokens += event.promptTokens
      if (event.type === "text" || event.type === "reasoning") tokens += 1
      if (event.type === "finish") {
        tokens = event.usage.promptTokens + event.usage.completionTokens
        await count()
      }
      yield event
    }
  } finally {
    if (!isCounted) await count()
  }
}
