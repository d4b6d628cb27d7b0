import type { notifications as english } from "../../../../shared/sentences/notifications.ts"
import { translation } from "../../translation.ts"

export const notifications = translation<typeof english>()({
  name_workspace:
    "Nennen Sie im Header x-organization-id den Arbeitsbereich, den Sie mit dem Empfänger teilen.",
  no_picture: "Der Absender hat kein Bild.",
  none_such: "Diese Benachrichtigung gibt es nicht.",
  not_both_members: "Sie und der Empfänger gehören nicht beide zu diesem Arbeitsbereich.",
  too_many_sent:
    "Dieser Schlüssel darf anderen {{minute}} Benachrichtigungen pro Minute und {{day}} pro Tag senden. Versuchen Sie es später erneut.",
})
