import type { memory as english } from "../../../../shared/sentences/memory.ts"
import { translation } from "../../translation.ts"

export const memory = translation<typeof english>()({
  none_such: "Questo fatto non c’è.",
  same: "Un altro fatto dice la stessa cosa: «{{fact}}»",
  stays_here:
    "Questa chat ha letto una cartella che resta su questo computer, quindi nulla di essa viene ricordato.",
  too_many: "Vengono già ricordati {{count}} fatti: prima eliminane qualcuno.",
})
