import type { Response } from "express"
import type { api } from "../../../shared/contract/api.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { toAppError, toOpenAi } from "../../http/error-response.ts"
import { openEventStream } from "../../http/answers/event-stream.ts"
import { untilClosed } from "../../http/answers/until-closed.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Completions } from "./service.ts"

/** `open` loads them with the first request: their schemas are a tenth of what a start would make. */
export function completionHandlers(
  open: () => Promise<Completions>,
  logger: Logger,
): Handlers<typeof api.completions> {
  return {
    models: async () => (await open()).models(),

    async create({ body, request, response }) {
      const completions = await open()
      const completed = await completions.create(body, untilClosed(request))
      if (completed.stream) await send(completed.chunks, response, logger)
      else response.json(completed.completion)
    },

    embeddings: async ({ body, request }) => (await open()).embed(body, untilClosed(request)),
  }
}

async function send(chunks: AsyncIterable<unknown>, response: Response, logger: Logger): Promise<void> {
  const stream = openEventStream(response)
  try {
    for await (const chunk of chunks) await stream.send(chunk)
    await stream.sendText("[DONE]")
  } catch (error) {
    await stream.send(toOpenAi(toAppError(error, logger)))
  }
  stream.end()
}
