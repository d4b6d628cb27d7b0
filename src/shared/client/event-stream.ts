import { createParser } from "eventsource-parser"
import { AppError } from "../contract/app-error.ts"
import { client } from "../sentences/client.ts"
import { splitSentences } from "../sentences/sentence.ts"

/** An event of a stream with its SSE id, which `Last-Event-ID` accepts to resume the stream. */
export type Received<T> = T & { eventId?: string }

/** Reads a Server-Sent Events response and skips unknown events. */
export async function* readEvents<T>(
  response: Response,
  isKnown: (value: unknown) => boolean,
): AsyncGenerator<Received<T>> {
  if (!response.body) throw new AppError("internal", splitSentences("client", client)("no_stream"))
  const pending: Received<T>[] = []
  const parser = createParser({
    onEvent: ({ data, id }) => {
      if (data === "[DONE]") return
      const value: unknown = JSON.parse(data)
      if (isKnown(value)) pending.push({ ...(value as T), ...(id === undefined ? {} : { eventId: id }) })
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
