import type { memory as english } from "../../../../shared/sentences/memory.ts"
import { translation } from "../../translation.ts"

export const memory = translation<typeof english>()({
  none_such: "Fatto non trovato. Forse è stato dimenticato.",
  same: "Questo fatto è già salvato: «{{fact}}»",
  stays_here:
    "Questa chat ha letto una cartella che resta su questo computer, quindi nulla di essa viene ricordato.",
  too_many: "Ci sono già {{count, number}} fatti salvati, il massimo. Prima eliminane qualcuno.",
})
