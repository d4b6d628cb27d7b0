import type { client as english } from "../../../../shared/sentences/client.ts"
import { translation } from "../../translation.ts"

export const client = translation<typeof english>()({
  no_reason: "Casella hat ohne Begründung mit {{status}} geantwortet.",
  no_stream: "Der Datenstrom hat keinen Inhalt.",
  unreachable: "Casella ist nicht erreichbar. Läuft das Programm?",
})
