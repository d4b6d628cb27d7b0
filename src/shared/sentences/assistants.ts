/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const assistants = {
  disabled: "{{name}} is turned off. Its owner can turn it on.",
  folders_not_yours: "Some of these folders were deleted, or aren't shared with you.",
  handle_taken: "The handle @{{handle}} is taken. Choose another, or leave it out.",
  no_picture: "The assistant has no image on the web.",
  no_such_model: "Model not found. Leave out modelId, or set it to null, to use the selected chat model.",
  none_such: "Assistant not found. It may have been deleted, or it isn't shared with you.",
  not_a_tool: "{{tool}} isn't a tool. GET /api/public/tools lists them.",
  not_without_asking:
    "Only the app or an API key with full rights can let an assistant use its tools without asking.",
  not_yours: "Assistant not found, or only its owner can change it.",
  too_many: "You already have {{count, number}} assistants, which is the maximum. Delete one first.",
} as const
