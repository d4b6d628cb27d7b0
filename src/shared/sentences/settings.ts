/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const settings = {
  local_only_at_start: "Casella was started with --local-only: start it without to change that.",
} as const
