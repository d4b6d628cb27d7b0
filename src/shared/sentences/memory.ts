/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const memory = {
  none_such: "There is no such fact.",
  same: 'Another fact says the same: "{{fact}}"',
  too_many: "{{count}} facts are remembered already: delete some first.",
} as const
