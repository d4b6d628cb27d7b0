import type { facts as english } from "../../../../shared/sentences/facts.ts"
import { translation } from "../../translation.ts"

export const facts = translation<typeof english>()({
  too_long: "Nur die ersten {{count, number}} Zeichen wurden durchgesehen.",
  too_many: "Nur die ersten {{count, number}} Daten und Beträge sind aufgeführt.",
})
