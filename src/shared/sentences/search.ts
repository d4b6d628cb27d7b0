/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const search = {
  closed: "The search index is closed.",
  closing: "The search index is closing.",
  could_not_do: "The search index couldn't do this. Try again.",
  engine_not_loaded: "The search engine can't be loaded on this computer.",
  id_malformed: "The id of a folder, file or passage has the wrong format.",
  keeps_failing: "The search index keeps failing. Restart Casella. Your files are safe.",
  no_answer: "The search index didn't answer. Try again in a minute.",
  too_much_to_write: "The search index is busy. Try again in a minute.",
} as const
