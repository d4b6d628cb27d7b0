import type { assistants as english } from "../../../../shared/sentences/assistants.ts"
import { translation } from "../../translation.ts"

export const assistants = translation<typeof english>()({
  disabled: "{{name}} è disattivato. Può attivarlo il suo proprietario.",
  folders_not_yours: "Alcune di queste cartelle sono state eliminate o non sono condivise con te.",
  handle_taken: "Il nome @{{handle}} è già in uso. Scegline un altro o lascialo vuoto.",
  no_picture: "L’assistente non ha un’immagine sul web.",
  no_such_model:
    "Modello non trovato. Ometti modelId, o impostalo a null, per usare il modello di chat scelto.",
  none_such: "Assistente non trovato. Forse è stato eliminato, o non è condiviso con te.",
  not_a_tool: "{{tool}} non è uno strumento. GET /api/public/tools li elenca.",
  not_without_asking:
    "Solo l’app o una chiave API con accesso completo può permettere a un assistente di usare i suoi strumenti senza chiedere.",
  not_yours: "Assistente non trovato, o può modificarlo solo il suo proprietario.",
  too_many: "Hai già {{count, number}} assistenti, il massimo. Prima eliminane uno.",
})
