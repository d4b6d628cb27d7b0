/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const projects = {
  folders_not_yours: "The project can only use folders that you can search.",
  moving_needs_rights: "Only the app or an API key with full rights can move a chat.",
  no_assistant: "Assistant not found. It may have been deleted, or it isn't shared with you.",
  none_such: "Project not found. It may have been deleted.",
  too_many: "You already have {{count, number}} projects, which is the maximum. Delete one first.",
} as const
