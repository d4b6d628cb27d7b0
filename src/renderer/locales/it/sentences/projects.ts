import type { projects as english } from "../../../../shared/sentences/projects.ts"
import { translation } from "../../translation.ts"

export const projects = translation<typeof english>()({
  folders_not_yours: "Il progetto può avere solo cartelle in cui puoi cercare.",
  moving_needs_rights: "Per spostare una chat serve l’app stessa o una chiave API con tutti i diritti.",
  no_assistant: "Questo assistente non c’è, o non è condiviso con te.",
  none_such: "Questo progetto non c’è.",
  too_many: "Ci sono già {{count}} progetti: prima eliminane qualcuno.",
})
