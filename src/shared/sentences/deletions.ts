/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const deletions = {
  gone: "This deletion can't be undone. It was already undone, or too much time has passed.",
  gone_from_trash: "The file can't be restored, because it is no longer in the trash.",
} as const
