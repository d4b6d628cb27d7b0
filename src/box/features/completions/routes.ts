import type { Response } from "express"
import type { api } from "../../../shared/contract/api.ts"
import { openEventStream } from "../../http/answers/event-stream.ts"
import { createCloseSignal } from "../../http/answers/answer-limits.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Answered, Completions, NamedEvent } from "./service.ts"

/** `open` loads the service with the first request, because its schemas would take a tenth of the start-up time. */
export function completionHandlers(open: () => Promise<Completions>): Handlers<typeof api.completions> {
  return {
    models: async () => (await open()).models(),

    async create({ caller, body, request, response }) {
      const answered = await (await open()).complete(caller.userId, body, createCloseSignal(request))
      if (!answered.stream) return void response.json(answered.whole)
      const stream = openEventStream(response)
      for await (const chunk of answered.events) await stream.send(chunk)
      await stream.sendText("[DONE]")
      stream.end()
    },

    async respond({ caller, body, request, response }) {
      await send(await (await open()).respond(caller.userId, body, createCloseSignal(request)), response)
    },

    async message({ caller, body, request, response }) {
      await send(await (await open()).message(caller.userId, body, createCloseSignal(request)), response)
    },

    countTokens: async ({ body, request }) => (await open()).countTokens(body, createCloseSignal(request)),

    embeddings: async ({ body, request }) => (await open()).embed(body, createCloseSignal(request)),
  }
}

async function send(answered: Answered<NamedEvent>, response: Response): Promise<void> {
  if (!answered.stream) return void response.json(answered.whole)
  const stream = openEventStream(response)
  for await (const event of answered.events) await stream.sendNamed(event.type, event)
  stream.end()
}
