import type { settings as english } from "../../../../shared/sentences/settings.ts"
import { translation } from "../../translation.ts"

export const settings = translation<typeof english>()({
  local_only_at_start: "Casella wurde mit --local-only gestartet: Starten Sie es ohne, um das zu ändern.",
})
