import type { queue as english } from "../../../../shared/sentences/queue.ts"
import { translation } from "../../translation.ts"

export const queue = translation<typeof english>()({
  full: "In questa chat sono già in coda {{count, number}} domande. Aspetta che ne venga posta una, oppure rimuovila.",
  key_revoked: "La chiave API con cui è stata posta è stata revocata. Modifica la domanda per porla tu.",
  none_such: "Domanda in coda non trovata. Forse è già stata posta.",
  too_much:
    "Le tue domande in coda in tutte le chat sono troppe o troppo lunghe. Aspetta che qualcuna abbia risposta, o rimuovine qualcuna.",
})
