import type { Logger } from "../../core/logging/logger.ts"
import type { EngineEvent } from "../../engines/engine.ts"

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
