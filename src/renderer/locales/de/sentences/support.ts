import type { support as english } from "../../../../shared/sentences/support.ts"
import { translation } from "../../translation.ts"

export const support = translation<typeof english>()({
  answered_status: "Der Support-Dienst hat mit Status {{status}} geantwortet.",
  being_sent: "Diese Meldung wird gerade gesendet. Versuchen Sie es erneut.",
  check_address: "{{what}} Prüfen Sie die Adresse, die Casella mit --auth-url erhalten hat.",
  connection_broke: "Die Verbindung zum Support-Dienst wurde vor der Antwort unterbrochen.",
  key_limited:
    "Dieser Schlüssel darf keine Tickets erstellen. Verwenden Sie einen mit der Berechtigung tickets.create.",
  key_not_accepted: "Der Dienst nimmt den Schlüssel nicht mehr an. Melden Sie sich erneut an.",
  key_of_box: "Das ist ein Schlüssel Ihres eigenen Casella. Fügen Sie stattdessen einen Cloud-Schlüssel ein.",
  key_refused: "Der Dienst nimmt diesen Schlüssel nicht an: Er ist falsch, abgelaufen oder deaktiviert.",
  key_without_tickets:
    "Der Schlüssel darf keine Tickets erstellen. Melden Sie sich erneut an, oder verwenden Sie einen mit tickets.create.",
  no_service: "Casella wurde ohne --auth-url gestartet: Es gibt keinen Dienst zum Anmelden.",
  none_such: "Diese Meldung gibt es nicht.",
  report_too_large: "Die Meldung ist zu groß. Lassen Sie den Anhang oder den Screenshot weg.",
  sent_already:
    "Diese Meldung wurde gesendet oder möglicherweise gesendet, deshalb lässt sie sich nicht mehr ändern.",
  too_many_wait: "Es warten schon {{count, number}} Meldungen: Senden oder entfernen Sie zuerst einige.",
  try_later: "{{what}} Versuchen Sie es später erneut.",
  unknown_answer: "Der Support-Dienst hat etwas geantwortet, das Casella nicht kennt.",
  unreachable: "Der Support-Dienst ist nicht erreichbar.",
})
