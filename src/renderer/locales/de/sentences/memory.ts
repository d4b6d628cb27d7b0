import type { memory as english } from "../../../../shared/sentences/memory.ts"
import { translation } from "../../translation.ts"

export const memory = translation<typeof english>()({
  none_such: "Diesen Fakt gibt es nicht.",
  same: "Ein anderer Fakt sagt dasselbe: „{{fact}}“",
  stays_here:
    "Dieser Chat hat einen Ordner gelesen, der auf diesem Computer bleibt, deshalb wird nichts davon gemerkt.",
  too_many: "Es sind schon {{count, number}} Fakten gemerkt: Löschen Sie zuerst einige.",
})
