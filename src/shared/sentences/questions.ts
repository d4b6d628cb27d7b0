/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const questions = {
  answered: 'It was answered already: "{{answer}}".',
  app_only: "Questions are answered in the app, not with an API key.",
  expired: "Nobody answered in time. Whoever asked doesn't wait any more.",
  none_such: "There is no such question.",
  too_many: "{{count}} questions wait for an answer already. Answer some, or let them expire.",
  too_many_wait: "{{count}} requests wait for answers already. Let some of them end first.",
} as const
