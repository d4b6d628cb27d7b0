import type { AppError } from "../../../../shared/contract/errors.ts"
import type { EngineEvent } from "../../../engines/engine.ts"
import { toAnthropic } from "../../../http/error-response.ts"
import { createMessage } from "./message.ts"
import type { MessageRequest } from "./request-schema.ts"

/** Maps the chat completions parameters named by the engine to those of Messages. */
export const messageBlame = {
  prompt: "messages",
  requiresFullHistory: true,
  rename: (parameter: string) =>
    parameter
      .replace(/^response_format\.json_schema/, "output_config.format")
      .replace(/^response_format/, "output_config.format")
      .replace(/\.function\.parameters\b/, ".input_schema"),
}

/** Yields the events of a Messages stream. A failure is one of them. */
export async function* messageEvents(
  request: MessageRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
  explain: (error: unknown) => AppError,
): AsyncGenerator<{ type: string }> {
  const message = createMessage(request, model)
  try {
    for await (const event of events) {
      yield* message.add(event)
    }
  } catch (error) {
    yield toAnthropic(explain(error))
  }
}

/** Returns a complete message. Passes on errors of the engine. */
export async function collectMessage(
  request: MessageRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
): Promise<unknown> {
  const message = createMessage(request, model)
  for await (const event of events) message.add(event)
  return message.message()
}
