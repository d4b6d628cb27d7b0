/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const conversations = {
  fork_of_answer: "Only a finished answer can be gone on from in a new chat.",
  import_running: "Another import is still running: wait for its end.",
  no_import: "There is no such import.",
  id_malformed: "A chat's id has 1 to 200 characters and isn't . or ...",
  no_branch: "This conversation has no such branch.",
  no_message: "This conversation has no such message.",
  none_such: "There is no such conversation.",
} as const
