/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const client = {
  no_reason: "Casella answered {{status}} without saying why.",
  no_stream: "The stream has no body.",
  unreachable: "Casella can't be reached. Is it running?",
} as const
