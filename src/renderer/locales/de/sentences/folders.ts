import type { folders as english } from "../../../../shared/sentences/folders.ts"
import { translation } from "../../translation.ts"

export const folders = translation<typeof english>()({
  attachments_not_shared: "Die Anhänge eines Chats können nicht freigegeben werden.",
  descriptions_need_rights:
    "Nur die App oder ein API-Schlüssel mit allen Rechten kann Bilder von einem Modell beschreiben lassen.",
  directory_missing:
    "Das Verzeichnis des Ordners ist nicht vorhanden. Schließen Sie das Laufwerk an, oder stellen Sie das Verzeichnis wieder her.",
  directory_replaced:
    "Am Ort des Verzeichnisses liegt jetzt ein anderes. Schließen Sie das Laufwerk an, oder stellen Sie das Verzeichnis wieder her. Wenn dieses das richtige ist, versuchen Sie es gleich noch einmal; ein angehaltener Ordner muss zuerst fortgesetzt werden.",
  drive_missing:
    "Das zugehörige Laufwerk ist nicht angeschlossen, oder an seiner Stelle ist ein anderes. Schließen Sie es an, und versuchen Sie es gleich noch einmal.",
  following_needs_rights:
    "Einem Verzeichnis zu folgen erfordert die App selbst oder einen API-Schlüssel mit allen Rechten.",
  is_file: "Das ist eine Datei. Geben Sie den Pfad eines Verzeichnisses an.",
  left_off:
    "Dieser Ordner wurde nach einer Wiederherstellung ausgeschaltet gelassen. Wählen Sie zuerst sein Verzeichnis aus.",
  no_access: "Sie haben keinen Zugriff auf diesen Ordner.",
  no_directory:
    "Dieses Verzeichnis gibt es nicht. Prüfen Sie den Pfad, oder erstellen Sie das Verzeichnis zuerst.",
  no_passage: "Diese Textstelle gibt es im Ordner nicht; ihr Dokument ist möglicherweise neuer.",
  none_such: "Diesen Ordner gibt es nicht.",
  not_readable: "Dieses Verzeichnis ist nicht lesbar. Prüfen Sie seine Berechtigungen.",
  of_the_system: "Dieses Verzeichnis gehört zum System. Wählen Sie eines mit eigenen Dokumenten.",
  own_data_inside: "Darin bewahrt Casella eigene Daten auf. Wählen Sie ein anderes Verzeichnis.",
  owner_only: "Nur der Inhaber darf die Dateien dieses Ordners ändern.",
  not_followed: "Dieser Ordner folgt keinem Ihrer Verzeichnisse und hat deshalb keinen anderen Ort.",
  path_not_absolute: "Geben Sie den absoluten Pfad eines Verzeichnisses an.",
  remote_needs_rights:
    "Servern einen Ordner zugänglich zu machen, der hierbleibt, erfordert die App selbst oder einen API-Schlüssel mit allen Rechten.",
  too_many: "Sie haben schon {{count, number}} Ordner. Löschen Sie zuerst einen.",
  too_many_unasked:
    "Es gibt {{count, number}} Chats mit Dateien, in denen noch nichts gefragt wurde. Fragen Sie zuerst in einem davon.",
})
