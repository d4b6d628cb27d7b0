/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const projects = {
  folders_not_yours: "The project may only have folders that you can search.",
  moving_needs_rights: "Moving a chat needs the app itself or an API key with full rights.",
  no_assistant: "There is no such assistant, or it isn't shared with you.",
  none_such: "There is no such project.",
  too_many: "There are {{count}} projects already: delete some first.",
} as const
