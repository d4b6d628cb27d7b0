import type { client as english } from "../../../../shared/sentences/client.ts"
import { translation } from "../../translation.ts"

export const client = translation<typeof english>()({
  no_reason: "Casella ha restituito l’errore {{status}} senza dettagli.",
  no_stream: "La risposta non contiene alcun flusso.",
  unreachable: "Casella non è raggiungibile. È in esecuzione?",
})
