import type { conversations as english } from "../../../../shared/sentences/conversations.ts"
import { translation } from "../../translation.ts"

export const conversations = translation<typeof english>()({
  fork_of_answer: "Solo da una risposta finita si può continuare in una nuova chat.",
  import_running: "Un’altra importazione è ancora in corso: aspetta che finisca.",
  no_import: "Questa importazione non c’è.",
  id_malformed: "L’id di una chat ha da 1 a 200 caratteri e non è . o ...",
  no_branch: "In questa conversazione non c’è questo ramo.",
  no_message: "In questa conversazione non c’è questo messaggio.",
  none_such: "Questa conversazione non esiste.",
})
