/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const assistants = {
  disabled: "{{name}} is switched off. Its owner can switch it on.",
  folders_not_yours: "Some of these folders don't exist or aren't yours to search.",
  handle_taken: "The handle @{{handle}} is taken. Choose another, or leave it out.",
  no_picture: "The assistant has no picture on the web.",
  no_such_model: "There is no such model. Leave modelId out, or null, to have the chosen one answer.",
  none_such: "There is no such assistant.",
  not_a_tool: "{{tool}} isn't a tool. GET /api/public/tools lists them.",
  not_without_asking:
    "Only the app or an API key with full rights may have an assistant use its tools without asking.",
  not_yours: "There is no such assistant, or it isn't yours to change.",
  too_many: "There are {{count}} assistants of yours already. Delete one first.",
} as const
