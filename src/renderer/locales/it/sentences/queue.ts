import type { queue as english } from "../../../../shared/sentences/queue.ts"
import { translation } from "../../translation.ts"

export const queue = translation<typeof english>()({
  full: "In questa chat sono già in attesa {{count}} domande. Aspetta che ne venga posta una, oppure toglila.",
  key_revoked: "La chiave API con cui è stata posta è stata revocata. Modifica la domanda per porla tu.",
  none_such: "In questa chat nessuna domanda è in attesa con questo id. Forse è già stata posta.",
  too_much:
    "Nelle tue chat attendono in tutto troppe domande, o troppo lunghe. Aspetta che qualcuna abbia risposta, o toglierne qualcuna.",
})
