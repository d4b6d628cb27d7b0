import type { deletions as english } from "../../../../shared/sentences/deletions.ts"
import { translation } from "../../translation.ts"

export const deletions = translation<typeof english>()({
  gone: "Questa eliminazione non si può annullare. È già stata annullata, o è passato troppo tempo.",
  gone_from_trash: "Il file non si può ripristinare, perché non è più nel cestino.",
})
