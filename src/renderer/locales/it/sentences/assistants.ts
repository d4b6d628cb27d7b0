import type { assistants as english } from "../../../../shared/sentences/assistants.ts"
import { translation } from "../../translation.ts"

export const assistants = translation<typeof english>()({
  disabled: "{{name}} è disattivato. Può attivarlo chi ne è il proprietario.",
  folders_not_yours: "Alcune di queste cartelle non esistono o non puoi cercarvi.",
  handle_taken: "Il nome @{{handle}} è già in uso. Scegline un altro o lascialo vuoto.",
  no_picture: "L’assistente non ha un’immagine sul web.",
  no_such_model: "Questo modello non esiste. Ometti modelId, o usa null, perché risponda quello scelto.",
  none_such: "Questo assistente non esiste.",
  not_a_tool: "{{tool}} non è uno strumento. GET /api/public/tools li elenca.",
  not_without_asking:
    "Solo l’app o una chiave API con tutti i diritti può far usare a un assistente i suoi strumenti senza chiedere.",
  not_yours: "Questo assistente non esiste, o non sei tu a poterlo cambiare.",
  too_many: "Hai già {{count}} assistenti. Prima eliminane uno.",
})
