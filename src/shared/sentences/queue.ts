/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const queue = {
  full: "{{count, number}} questions are already queued in this chat. Wait until one is asked, or remove one.",
  key_revoked: "The API key that asked this was revoked. Edit the question to ask it yourself.",
  none_such: "Queued question not found. It may already have been asked.",
  too_much:
    "Your queued questions in all chats are too many or too long. Wait until some are answered, or remove some.",
} as const
