import type { files as english } from "../../../../shared/sentences/files.ts"
import { translation } from "../../translation.ts"

export const files = translation<typeof english>()({
  changed_by_others:
    "Ein anderes Programm hat diese Datei gerade geändert. Sehen Sie sie an, und versuchen Sie es dann erneut.",
  changed_since: "Die Datei hat sich geändert, seit sie angesehen wurde.",
  cloud_only: "Der Inhalt dieser Datei liegt nur in einem Cloudspeicher. Laden Sie ihn dort zuerst herunter.",
  left_out:
    "Dieser Ordner lässt solche Dateien aus: siehe .casellaignore, oder wählen Sie einen anderen Namen.",
  missing_on_drive:
    "Dateien dieses Ordners fehlen. Schließen Sie das Laufwerk an, oder bestätigen Sie, dass sie gelöscht wurden.",
  name_not_utf8:
    "Der Name dieser Datei enthält unlesbare Zeichen (kein UTF-8), deshalb kann sie hier weder geändert noch gelöscht werden. Benennen Sie sie zuerst um.",
  no_page: "Diese Seite gibt es nicht.",
  no_text_yet: "Der Text ist nicht verfügbar: Die Datei hat den Status {{status}}.",
  no_web_page: "Diese Datei ist keine Kopie einer Webseite, deshalb gibt es nichts abzurufen.",
  none_such: "Diese Datei gibt es in diesem Ordner nicht.",
  not_changeable:
    "Casella darf diese Datei nicht ändern. Prüfen Sie ihre Berechtigungen, oder schließen Sie sie in anderen Programmen.",
  own_data: "{{sign}} bezeichnet eigene Daten von Casella. Wählen Sie einen anderen Namen.",
  page_not_stored:
    "Die Seite wurde abgerufen, konnte aber nicht gespeichert werden. Einzelheiten stehen im Protokoll.",
  page_not_drawn: "Diese Seite konnte nicht dargestellt werden.",
  page_not_drawn_damaged: "Diese Seite konnte nicht dargestellt werden: Sie ist beschädigt oder zu komplex.",
  text_unreadable: "Der gespeicherte Text dieser Datei ist nicht lesbar. Lesen Sie die Datei erneut ein.",
  too_many_named: "Hier gibt es zu viele Dateien namens „{{name}}“. Wählen Sie einen anderen Namen.",
  too_many_waiting: "Zu viele Dokumente warten darauf, gelesen zu werden. Versuchen Sie es später erneut.",
  viewer_ended: "Das Programm, das Seiten darstellt, wurde beendet. Versuchen Sie es später erneut.",
})
