/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const facts = {
  too_long: "Only its first {{count, number}} characters were looked at.",
  too_many: "Only its first {{count, number}} dates and amounts are listed.",
} as const
