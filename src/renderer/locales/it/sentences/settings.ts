import type { settings as english } from "../../../../shared/sentences/settings.ts"
import { translation } from "../../translation.ts"

export const settings = translation<typeof english>()({
  local_only_at_start:
    "Casella è stata avviata con --local-only. Avviala senza questa opzione per cambiarlo.",
})
