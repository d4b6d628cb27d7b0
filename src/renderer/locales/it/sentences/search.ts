import type { search as english } from "../../../../shared/sentences/search.ts"
import { translation } from "../../translation.ts"

export const search = translation<typeof english>()({
  closed: "L’indice di ricerca è chiuso.",
  closing: "L’indice di ricerca si sta chiudendo.",
  could_not_do: "L’indice di ricerca non è riuscito a farlo. Riprova.",
  engine_not_loaded: "Il motore di ricerca non si può caricare su questo computer.",
  id_malformed: "L’id di una cartella, di un file o di un passaggio ha un formato sbagliato.",
  keeps_failing: "L’indice di ricerca continua ad avere errori. Riavvia Casella. I tuoi file sono al sicuro.",
  no_answer: "L’indice di ricerca non ha risposto. Riprova tra un minuto.",
  too_much_to_write: "L’indice di ricerca è occupato. Riprova tra un minuto.",
})
