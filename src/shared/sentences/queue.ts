/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const queue = {
  full: "{{count}} questions wait in this chat already. Wait until one is asked, or remove one.",
  key_revoked: "The API key that asked this was revoked. Change the question to ask it yourself.",
  none_such: "No question waits in this chat under this id. It may have been asked.",
  too_much:
    "Too many or too long questions of yours wait in all chats together. Wait until some are answered, or remove some.",
} as const
