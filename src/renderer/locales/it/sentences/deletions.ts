import type { deletions as english } from "../../../../shared/sentences/deletions.ts"
import { translation } from "../../translation.ts"

export const deletions = translation<typeof english>()({
  gone: "Questa eliminazione non si può annullare: è già stata annullata, oppure è troppo tardi.",
  gone_from_trash: "Il file non si può ripristinare: non è più nel cestino.",
})
