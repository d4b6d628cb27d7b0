/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const memory = {
  none_such: "There is no such fact.",
  same: 'Another fact says the same: "{{fact}}"',
  stays_here: "This chat has read a folder that stays on this computer, so nothing of it is remembered.",
  too_many: "{{count}} facts are remembered already: delete some first.",
} as const
