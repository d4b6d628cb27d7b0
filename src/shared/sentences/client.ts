/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const client = {
  no_reason: "The box answered {{status}} without saying why.",
  no_stream: "The stream has no body.",
  unreachable: "Casella's box can't be reached. Is it running?",
} as const
