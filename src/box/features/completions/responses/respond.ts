import type { AppError } from "../../../../shared/contract/errors.ts"
import type { EngineEvent } from "../../../engines/engine.ts"
import { createResponse } from "./response.ts"
import type { ResponseRequest } from "./request-schema.ts"
import { getFunctions } from "./tools.ts"
import { parameterName } from "../parse-request.ts"

/** Maps the chat completions parameters named by the engine to those of Responses. */
export const responseBlame = (request: ResponseRequest) => ({
  prompt: "input",
  requiresFullHistory: request.truncation !== "auto",
  rename: (parameter: string) =>
    parameter
      .replace(/^messages/, "input")
      .replace(/^tools\[(\d+)\]/, (whole, index) => {
        const path = getFunctions(request.tools)[Number(index)]?.path
        return path ? parameterName(path) : whole
      })
      .replace(/^response_format\.json_schema/, "text.format")
      .replace(/^response_format/, "text.format")
      .replace(/\.function\b/, ""),
})

/** Yields the numbered events of a Responses stream. A failure is one of them. */
export async function* responseEvents(
  request: ResponseRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
  explain: (error: unknown) => AppError,
) {
  const response = createResponse(request, model)
  let count = 0
  const counted = (some: { type: string }[]) => some.map((event) => ({ ...event, sequence_number: count++ }))
  try {
    for await (const event of events) yield* counted(response.add(event))
  } catch (error) {
    yield* counted(response.fail(explain(error)))
  }
}

/** Returns a complete response. Passes on errors of the engine. */
export async function collectResponse(
  request: ResponseRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
): Promise<unknown> {
  const response = createResponse(request, model)
  for await (const event of events) response.add(event)
  return response.response()
}
