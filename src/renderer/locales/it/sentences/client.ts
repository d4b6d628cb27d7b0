import type { client as english } from "../../../../shared/sentences/client.ts"
import { translation } from "../../translation.ts"

export const client = translation<typeof english>()({
  no_reason: "Casella ha risposto {{status}} senza dire perché.",
  no_stream: "La risposta non contiene alcun flusso di dati.",
  unreachable: "Casella non è raggiungibile. È in esecuzione?",
})
