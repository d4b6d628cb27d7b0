import type { memory as english } from "../../../../shared/sentences/memory.ts"
import { translation } from "../../translation.ts"

export const memory = translation<typeof english>()({
  none_such: "Questo fatto non c’è.",
  same: "Un altro fatto dice la stessa cosa: «{{fact}}»",
  too_many: "Vengono già ricordati {{count}} fatti: prima eliminane qualcuno.",
})
