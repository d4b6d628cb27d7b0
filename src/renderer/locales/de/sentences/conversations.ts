import type { conversations as english } from "../../../../shared/sentences/conversations.ts"
import { translation } from "../../translation.ts"

export const conversations = translation<typeof english>()({
  fork_of_answer: "Nur ab einer fertigen Antwort lässt sich in einem neuen Chat fortfahren.",
  import_running: "Ein anderer Import läuft noch: Warten Sie, bis er beendet ist.",
  no_import: "Diesen Import gibt es nicht.",
  import_not_held: "Dieser Import wartet nicht auf eine Bestätigung: Geben Sie die Datei noch einmal an.",
  import_too_long: "Er ist länger als {{count, number}} MB.",
  import_too_deep: "Er ist zu tief verschachtelt.",
  import_cut_off: "Die Datei endet mittendrin.",
  import_unknown: "Das ist kein Chat aus ChatGPT, Claude oder Open WebUI.",
  import_no_text: "Er hat keine Nachrichten mit Text.",
  import_too_many_messages: "Er hat mehr als {{count, number}} Nachrichten.",
  import_would_have_too_many: "Er hätte mehr als {{count, number}} Nachrichten.",
  import_too_many_chats: "Es gibt schon {{count, number}} Chats; mehr sind nicht möglich.",
  import_just_deleted:
    "Er wurde gerade gelöscht: Machen Sie das rückgängig, oder importieren Sie ihn in einer Minute erneut.",
  import_known: "Er ist mit allen Nachrichten schon hier.",
  import_left_out: "Seine Bilder und Dateien werden nicht übernommen: {{count, number}}.",
  import_not_json: "Die Datei ist weder eine ZIP- noch eine JSON-Datei mit Chats.",
  import_bad_archive: "Die ZIP-Datei ist beschädigt, zu groß oder enthält keine Chats.",
  import_too_many_in_file:
    "Die Datei enthält mehr als {{count, number}} Chats. Teilen Sie sie in kleinere auf und importieren Sie diese einzeln: Schon Vorhandenes wird nicht doppelt übernommen.",
  import_no_chats: "Die Datei enthält keine Chats aus ChatGPT, Claude oder Open WebUI.",
  import_broke: "Es ist ein Fehler aufgetreten; was bis dahin importiert wurde, ist hier.",
  import_interrupted:
    "Casella wurde während des Imports beendet. Importieren Sie dieselbe Datei erneut: Schon Vorhandenes wird nicht doppelt übernommen.",
  id_malformed: "Die ID eines Chats hat 1 bis 200 Zeichen und lautet nicht . oder ..",
  no_branch: "Diesen Zweig gibt es in dem Chat nicht.",
  no_message: "Diese Nachricht gibt es in dem Chat nicht.",
  none_such: "Diesen Chat gibt es nicht.",
})
