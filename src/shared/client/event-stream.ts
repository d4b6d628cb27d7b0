import { createParser } from "eventsource-parser"
import type { z } from "zod"
import { AppError } from "../contract/errors.ts"
import { client } from "../sentences/client.ts"
import { sentencesOf } from "../sentences/sentence.ts"

/** An event of a stream with its SSE id, which `Last-Event-ID` takes to re-attach. */
export type Received<T> = T & { eventId?: string }

/** Reads a Server-Sent Events response. Values that don't fit the schema are types of a newer box: skipped. */
export async function* readEvents<T>(response: Response, schema: z.ZodType<T>): AsyncGenerator<Received<T>> {
  if (!response.body) throw new AppError("internal", sentencesOf("client", client)("no_stream"))
  const pending: Received<T>[] = []
  const parser = createParser({
    onEvent: ({ data, id }) => {
      if (data === "[DONE]") return
      const parsed = schema.safeParse(JSON.parse(data))
      if (parsed.success) pending.push({ ...parsed.data, ...(id === undefined ? {} : { eventId: id }) })
    },
  })
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* pending.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => undefined) // already closed
  }
}
