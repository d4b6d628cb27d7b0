/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const settings = {
  local_only_at_start: "Casella was started with --local-only. Start it without that option to change this.",
} as const
