import type { projects as english } from "../../../../shared/sentences/projects.ts"
import { translation } from "../../translation.ts"

export const projects = translation<typeof english>()({
  folders_not_yours: "Il progetto può avere solo cartelle in cui puoi cercare.",
  moving_needs_rights: "Solo l’app o una chiave API con accesso completo può spostare una chat.",
  no_assistant: "Assistente non trovato. Forse è stato eliminato, o non è condiviso con te.",
  none_such: "Progetto non trovato. Forse è stato eliminato.",
  too_many: "Hai già {{count, number}} progetti, il massimo. Prima eliminane uno.",
})
