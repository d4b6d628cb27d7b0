import type { models as english } from "../../../../shared/sentences/models.ts"
import { translation } from "../../translation.ts"

export const models = translation<typeof english>()({
  cannot_answer: "Dieses Modell kann keine Antworten schreiben. Wählen Sie ein anderes.",
  cannot_embed: "Dieses Modell kann keine Textstellen nach Bedeutung finden. Wählen Sie ein anderes.",
  cannot_rerank: "Dieses Modell kann keine Textstellen ordnen. Wählen Sie ein anderes.",
  catalogue_invalid: "models.json im Datenverzeichnis ist kein Katalog: {{place}}: {{what}}.",
  catalogue_not_json: "models.json im Datenverzeichnis ist kein JSON.",
  changed_on_server: "Die Datei auf dem Server hat sich geändert; sie wird neu heruntergeladen.",
  check_connection: "{{what}} Prüfen Sie die Internetverbindung, und setzen Sie den Download dann fort.",
  connection_lost: "Die Verbindung zum Server wurde unterbrochen.",
  context_at_most: "Das Kontextfenster dieses Modells kann hier höchstens {{count, number}} Tokens umfassen.",
  download_cut_short: "Der Server hat den Download vorzeitig beendet.",
  download_in_circles:
    "Der Server leitet den Download im Kreis. Versuchen Sie es später erneut oder mit einem anderen Spiegelserver.",
  download_needs_space:
    "Der Download benötigt {{size, number}} GB freien Speicherplatz, und {{free, number}} GB sind frei. Schaffen Sie Platz, oder wählen Sie ein kleineres Modell.",
  download_refused: "Der Server hat den Download abgelehnt: {{status}}.",
  download_unsafe:
    "Der Server leitet den Download an eine unsichere Adresse. Wählen Sie einen anderen Spiegelserver.",
  downloaded_already: "Dieses Modell ist schon heruntergeladen.",
  downloading_already: "Dieses Modell wird schon heruntergeladen.",
  file_deleted:
    "Die heruntergeladene Datei wurde gelöscht: {{why}}. Versuchen Sie es erneut, oder wählen Sie einen anderen Spiegelserver.",
  file_gone:
    "Die Datei ist nicht mehr vorhanden. Stellen Sie sie wieder her, oder entfernen Sie dieses Modell aus der Liste.",
  in_use: "Dieses Modell wird verwendet. Wählen Sie zuerst ein anderes.",
  instructions_over_context:
    "Die Frage benötigt {{total, number}} Tokens (Wortteile), aber das Kontextfenster dieses Modells hat {{count, number}}. Allein die Anweisungen benötigen {{size, number}}. Kürzen Sie die Anweisungen, oder wählen Sie ein Modell mit größerem Kontextfenster.",
  link_in_the_way:
    "Am Ort von {{directory}} im Datenverzeichnis liegt eine Datei oder ein Link. Entfernen Sie sie, und setzen Sie den Download dann fort.",
  message_over_context:
    "Die Frage benötigt {{total, number}} Tokens (Wortteile), aber das Kontextfenster dieses Modells hat {{count, number}}. Allein die Nachricht benötigt {{size, number}}. Kürzen Sie die Nachricht, oder wählen Sie ein Modell mit größerem Kontextfenster.",
  no_chat_model:
    "Es ist kein Chatmodell installiert. Laden Sie unter Einstellungen › Weitere Modelle eines herunter.",
  no_download: "Diesen Download gibt es nicht.",
  no_embedding_model:
    "Es ist kein Einbettungsmodell installiert, das Textstellen nach Bedeutung findet. Laden Sie unter Einstellungen › Weitere Modelle eines herunter.",
  no_file: "Unter diesem Pfad gibt es keine Datei.",
  no_such_file:
    "Der Server hat diese Datei nicht. Prüfen Sie den Namen des Modells, den Namen der Datei und woher Modelle kommen.",
  none_such: "Dieses Modell gibt es auf diesem Computer nicht.",
  not_complete: "sie ist keine vollständige Modelldatei (GGUF)",
  not_in_catalogue: "Dieses Modell gibt es im Katalog nicht.",
  one_of_several: "Die Datei ist ein Teil von mehreren; wählen Sie ein Modell in einer einzelnen Datei.",
  other_chosen:
    "Während diese Antwort geschrieben wurde, wurde ein anderes Modell ausgewählt. Senden Sie die Nachricht erneut.",
  other_file:
    "Der Server hat eine andere Datei, als der Katalog beschreibt. Wählen Sie einen anderen Spiegelserver.",
  part_for_media: "Die Datei ist ein Teil für Bilder oder Ton, kein eigenes Modell.",
  passages_over_context:
    "Die Frage benötigt {{total, number}} Tokens (Wortteile), aber das Kontextfenster dieses Modells hat {{count, number}}. Allein die Textstellen der Ordner benötigen {{size, number}}. Verwenden Sie weniger Textstellen pro Antwort, oder wählen Sie ein Modell mit größerem Kontextfenster.",
  path_not_whole: "path muss der vollständige Pfad der Datei sein.",
  runs_elsewhere: "Dieses Modell läuft auf einem Server, der das festlegt.",
  server_gone:
    "Der Server {{server}} wurde entfernt, während sein Modell diese Antwort schrieb. Wählen Sie ein anderes Modell, und senden Sie die Nachricht erneut.",
  server_silent: "Der Server antwortet nicht mehr.",
  server_status: "Der Server hat mit {{status}} geantwortet.",
  server_unreachable: "Der Server ist nicht erreichbar.",
  shorter_on_server:
    "Die Datei auf dem Server ist kürzer als das bereits Heruntergeladene; sie wird neu heruntergeladen.",
  signed_in_only:
    "Der Server gibt diese Datei nur an angemeldete Personen. Laden Sie sie in einem Browser herunter, und fügen Sie sie als Datei hinzu.",
  size_unknown: "Der Server gibt nicht an, wie groß die Datei ist. Wählen Sie einen anderen Spiegelserver.",
  no_such_model: "Dieses Modell gibt es nicht.",
  invalid_address:
    "Dieser Server kann nicht eingeschaltet werden, weil seine Adresse mit http:// oder https:// beginnen muss und weder Namen noch Passwort, ? oder # enthalten darf. Lassen Sie ihn ausgeschaltet, und fügen Sie ihn neu hinzu.",
  no_such_server: "Diesen Modellserver gibt es nicht.",
  too_many: "Es sind zu viele Modelle hinzugefügt. Entfernen Sie zuerst einige aus der Liste.",
  too_many_servers:
    "Es können höchstens {{count, number}} Modellserver hinzugefügt werden. Entfernen Sie zuerst einen.",
  too_many_at_once:
    "Es werden höchstens {{count, number}} Modelle gleichzeitig heruntergeladen. Halten Sie eines an, oder warten Sie, bis eines fertig ist.",
  too_many_downloads: "Es warten zu viele Downloads. Brechen Sie zuerst einige ab.",
  tools_over_context:
    "Die Frage benötigt {{total, number}} Tokens (Wortteile), aber das Kontextfenster dieses Modells hat {{count, number}}. Allein die Tools benötigen {{size, number}}. Schalten Sie Tools aus, oder wählen Sie ein Modell mit größerem Kontextfenster.",
  vision_is_known: "Ob dieses Modell Bilder annimmt, ist schon bekannt.",
  wrong_checksum: "sie ist nicht die veröffentlichte Datei (die Prüfsumme stimmt nicht)",
  wrong_size: "sie hat {{size, number}} Byte statt {{expected, number}}",
})
