/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const memory = {
  none_such: "Fact not found. It may have been forgotten.",
  same: 'This fact is already saved: "{{fact}}"',
  stays_here: "This chat has read a folder that stays on this computer, so nothing from it is remembered.",
  too_many: "There are already {{count, number}} saved facts, which is the maximum. Delete some first.",
} as const
