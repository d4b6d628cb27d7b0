import type { assistants as english } from "../../../../shared/sentences/assistants.ts"
import { translation } from "../../translation.ts"

export const assistants = translation<typeof english>()({
  disabled: "{{name}} ist ausgeschaltet. Der Inhaber kann ihn einschalten.",
  folders_not_yours: "Einige dieser Ordner gibt es nicht, oder Sie dürfen sie nicht durchsuchen.",
  handle_taken: "Das Kürzel @{{handle}} ist vergeben. Wählen Sie ein anderes, oder lassen Sie es weg.",
  no_picture: "Der Assistent hat kein Bild im Web.",
  no_such_model:
    "Dieses Modell gibt es nicht. Lassen Sie modelId weg oder setzen Sie es auf null, damit das ausgewählte antwortet.",
  none_such: "Diesen Assistenten gibt es nicht.",
  not_a_tool: "{{tool}} ist kein Tool. GET /api/public/tools listet sie auf.",
  not_without_asking:
    "Nur die App oder ein API-Schlüssel mit allen Rechten darf einen Assistenten Tools ohne Rückfrage verwenden lassen.",
  not_yours: "Diesen Assistenten gibt es nicht, oder Sie dürfen ihn nicht ändern.",
  too_many: "Sie haben schon {{count, number}} Assistenten. Löschen Sie zuerst einen.",
})
