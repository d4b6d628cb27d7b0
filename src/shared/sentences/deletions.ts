/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const deletions = {
  gone: "This deletion can't be undone: that was done already, or it is too late.",
  gone_from_trash: "The file can't be brought back: it isn't in the trash any more.",
} as const
