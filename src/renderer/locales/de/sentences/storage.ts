import type { storage as english } from "../../../../shared/sentences/storage.ts"
import { translation } from "../../translation.ts"

export const storage = translation<typeof english>()({
  backup_gone: "Das Backup ist nicht mehr vorhanden. Erstellen Sie ein neues.",
  backup_runs: "Es läuft schon ein Backup. Warten Sie, bis es fertig ist, oder stoppen Sie es.",
  checking_other: "Es wird schon ein anderes Backup geprüft. Warten Sie, bis das fertig ist.",
  data_damaged:
    "Ein Teil der gespeicherten Daten ist beschädigt, deshalb wäre dieses Backup nutzlos. Bewahren Sie Ihre vorhandenen auf, beenden Sie Casella, und führen Sie dann „salvage VERZEICHNIS“ aus.",
  database_damaged: "Die Datenbank in diesem Backup ist beschädigt. Wählen Sie ein anderes Backup.",
  directory_closed: "Casella darf in dieses Verzeichnis nicht schreiben. Wählen Sie ein anderes.",
  directory_elsewhere:
    "{{directory}} führt an einen anderen Ort als bei der Planung der Backups, deshalb wurde dort nichts geschrieben oder entfernt. Prüfen Sie, warum, und planen Sie die Backups dann neu.",
  directory_of_data:
    "Darin bewahrt Casella eigene Daten auf, und beides ginge zusammen verloren. Wählen Sie ein anderes Verzeichnis.",
  directory_whole_path: "Geben Sie den vollständigen Pfad des Verzeichnisses ein.",
  files_missing:
    "Die Dateien des Ordners „{{folder}}“ fehlen, deshalb wurde kein Backup erstellt. Stellen Sie ihr Verzeichnis wieder her, oder löschen Sie den Ordner, und erstellen Sie das Backup dann erneut.",
  files_missing_in_several:
    "Die Dateien des Ordners „{{folder}}“ und von {{count, number}} weiteren fehlen, deshalb wurde kein Backup erstellt. Stellen Sie ihr Verzeichnis wieder her, oder löschen Sie den Ordner, und erstellen Sie das Backup dann erneut.",
  held: "Das stammt aus einem wiederhergestellten Backup. Ein Inhaber muss es zuerst unter Einstellungen › Backup einschalten.",
  held_changed: "Das hat sich geändert oder ist nicht mehr vorhanden. Prüfen Sie die Liste noch einmal.",
  held_in_app_only: "Das kann nur ein in der App angemeldeter Inhaber entscheiden, kein API-Schlüssel.",
  newer:
    "Dieses Backup wurde mit einer neueren Casella-Version erstellt. Aktualisieren Sie Casella, und stellen Sie es dann wieder her.",
  no_backup: "Es gibt kein vollständiges Backup zum Herunterladen.",
  no_copy: "Diese Kopie gibt es nicht mehr.",
  no_directory:
    "Dieses Verzeichnis gibt es nicht. Erstellen Sie es, schließen Sie seinen Datenträger an, oder wählen Sie ein anderes.",
  no_owner:
    "Dieses Backup hat keinen Inhaber, der sich anmelden darf, deshalb könnte es niemand verwenden. Wählen Sie ein anderes Backup.",
  no_room: "Für das Backup ist nicht genug Speicherplatz frei.",
  no_room_to_unpack: "Zum Entpacken des Backups ist nicht genug Speicherplatz frei.",
  not_a_backup: "Das ist kein Casella-Backup, oder es ist beschädigt.",
  not_written: "Das Backup konnte nicht geschrieben werden. Der Grund steht im Protokoll.",
  object_damaged: "Was der Objektspeicher von dieser Datei hat, ist nicht, was dort gespeichert wurde.",
  object_gone: "Der Inhalt dieser Datei fehlt im Objektspeicher.",
  objects_away: "Der Dateispeicher ist nicht erreichbar oder fehlerhaft. Versuchen Sie es später erneut.",
  objects_of_others:
    "Der Dateispeicher gehört zu einem anderen Casella. Fragen Sie die Person, die dieses hier betreibt: Im Protokoll steht, was zu ändern ist.",
  objects_refused:
    "Der Dateispeicher verweigert den Zugriff. Fragen Sie die Person, die dieses Casella betreibt: Im Protokoll steht, was zu ändern ist.",
  rows_on_server:
    "Die Daten von Casella liegen auf einem Datenbankserver, in den kein Backup eingespielt wird. Stellen Sie es in einem neuen Datenverzeichnis wieder her, und verschieben Sie die Daten dann in eine leere Datenbank.",
  target_exists: "{{target}} gibt es schon. Wählen Sie einen anderen Namen.",
})
