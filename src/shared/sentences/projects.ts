/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const projects = {
  folders_not_yours: "The project may only have folders that you can search.",
  no_assistant: "There is no such assistant, or it isn't shared with you.",
  none_such: "There is no such project.",
  too_many: "There are {{count}} projects already: delete some first.",
} as const
