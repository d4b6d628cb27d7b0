/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const facts = {
  too_long: "Only its first {{count, number}} characters were looked at.",
  too_many: "Only its first {{count, number}} dates and amounts are listed.",
} as const
