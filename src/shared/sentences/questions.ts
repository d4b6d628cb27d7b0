/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const questions = {
  answered: 'This was already answered: "{{answer}}".',
  app_only: "Questions are answered in the app, not with an API key.",
  expired: "No one answered in time. The sender is no longer waiting.",
  none_such: "Question not found. It may have expired.",
  too_many: "{{count, number}} questions are already waiting for an answer. Answer some, or let them expire.",
  too_many_wait: "{{count, number}} requests are already waiting for answers. Let some of them finish first.",
} as const
