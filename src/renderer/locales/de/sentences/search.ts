import type { search as english } from "../../../../shared/sentences/search.ts"
import { translation } from "../../translation.ts"

export const search = translation<typeof english>()({
  closed: "Der Suchindex ist geschlossen.",
  closing: "Der Suchindex wird geschlossen.",
  could_not_do: "Der Suchindex konnte das nicht ausführen. Versuchen Sie es erneut.",
  engine_not_loaded: "Die Suchmaschine kann auf diesem Computer nicht geladen werden.",
  id_malformed: "Die ID eines Ordners, einer Datei oder einer Textstelle hat die falsche Form.",
  keeps_failing:
    "Im Suchindex treten wiederholt Fehler auf. Starten Sie das Programm neu; Ihre Dateien sind sicher.",
  no_answer: "Der Suchindex hat nicht geantwortet. Versuchen Sie es in einer Minute erneut.",
  too_much_to_write: "Der Suchindex hat zu viel zu schreiben. Versuchen Sie es in einer Minute erneut.",
})
