import type { accounts as english } from "../../../../shared/sentences/accounts.ts"
import { translation } from "../../translation.ts"

export const accounts = translation<typeof english>()({
  email_taken: "Es gibt schon eine Person mit der E-Mail-Adresse {{email}}.",
  key_needed:
    "Geben Sie zum Bestätigen den ganzen API-Schlüssel ein. Wenn Sie ihn nicht haben, widerrufen Sie ihn und erstellen Sie einen neuen.",
  link_used: "Dieser Anmeldelink wurde schon verwendet oder ist älter als 5 Minuten.",
  no_key: "Diesen API-Schlüssel gibt es nicht.",
  no_owner: "Es gibt keinen Inhaber.",
  no_provider: "Hier ist die Anmeldung nur mit Einmallinks möglich.",
  no_person: "Diese Person gibt es hier nicht.",
  not_yourself: "Sie können sich nicht selbst deaktivieren. Ein anderer Inhaber kann das.",
  other_session: "Dieser Browser ist nicht als {{name}}, sondern als jemand anderes angemeldet.",
  other_key:
    "Das ist nicht der API-Schlüssel, den das Backup unter diesem Namen enthielt. Wenn Sie jenen Schlüssel nicht kennen, widerrufen Sie ihn.",
  owner_needed:
    "Der Arbeitsbereich braucht einen Inhaber, der sich anmelden kann. Bestimmen Sie zuerst einen anderen.",
  person_disabled: "Diese Person ist deaktiviert. Aktivieren Sie sie zuerst.",
  ticket_for_session: "Das benötigt nur die Sitzung der App: Senden Sie Ihren Schlüssel mit dem Download.",
  too_many_keys:
    "Es gibt schon {{count, number}} API-Schlüssel. Widerrufen Sie einen nicht mehr verwendeten.",
  too_many_people: "Es gibt schon {{count, number}} Personen; mehr sind nicht möglich.",
  user_gone: "Diese Person gibt es nicht mehr.",
})
