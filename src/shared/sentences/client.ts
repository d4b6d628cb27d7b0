/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const client = {
  no_reason: "Casella returned error {{status}} with no details.",
  no_stream: "The response contains no stream.",
  unreachable: "Casella can't be reached. Is it running?",
} as const
