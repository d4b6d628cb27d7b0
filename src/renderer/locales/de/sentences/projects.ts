import type { projects as english } from "../../../../shared/sentences/projects.ts"
import { translation } from "../../translation.ts"

export const projects = translation<typeof english>()({
  folders_not_yours: "Das Projekt darf nur Ordner haben, die Sie durchsuchen dürfen.",
  moving_needs_rights:
    "Einen Chat zu verschieben erfordert die App selbst oder einen API-Schlüssel mit allen Rechten.",
  no_assistant: "Diesen Assistenten gibt es nicht, oder er ist nicht für Sie freigegeben.",
  none_such: "Dieses Projekt gibt es nicht.",
  too_many: "Es gibt schon {{count, number}} Projekte: Löschen Sie zuerst einige.",
})
