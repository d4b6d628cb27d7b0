/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const facts = {
  too_long: "Only the first {{count, number}} characters were checked.",
  too_many: "Only the first {{count, number}} dates and amounts are listed.",
} as const
