import type { core as english } from "../../../../shared/sentences/core.ts"
import { translation } from "../../translation.ts"

export const core = translation<typeof english>()({
  address_not_public:
    "Diese Adresse gehört nicht zum öffentlichen Internet und wird deshalb nicht abgerufen.",
  address_with_password: "Eine Adresse darf weder Namen noch Passwort enthalten.",
  answer_too_large: "Das ist größer als {{count, number}} MB.",
  closed_in_data_directory:
    "Casella darf „{{place}}“ im Datenverzeichnis nicht verwenden. Erlauben Sie dort Lesen und Schreiben, und versuchen Sie es erneut.",
  data_moved:
    "Das Datenverzeichnis von Casella wurde im laufenden Betrieb verschoben oder ersetzt, deshalb kann nichts gespeichert werden. Verschieben Sie es zurück, oder starten Sie Casella am neuen Ort neu.",
  database_away:
    "Der Datenbankserver ist nicht erreichbar. Gespeichertes ist sicher; versuchen Sie es später erneut.",
  database_busy:
    "Ein anderes Programm verwendet die Datenbank von Casella. Schließen Sie es, oder versuchen Sie es später erneut.",
  database_disk_full: "Der Datenträger des Datenbankservers ist voll. Wer ihn betreut, muss Platz schaffen.",
  database_read_only:
    "Der Datenbankserver nimmt derzeit keine Änderungen an. Gespeichertes ist sicher; versuchen Sie es später erneut.",
  database_replaced:
    "Eine Datei der Datenbank von Casella wurde im laufenden Betrieb entfernt, ersetzt oder überschrieben, deshalb kann nichts mehr gespeichert werden. Starten Sie Casella neu, sobald im Protokoll steht, was gesichert ist: Damit wird weitergearbeitet.",
  database_slow:
    "Die Datenbank antwortet zu langsam. Es wurde nichts geändert; versuchen Sie es später erneut.",
  directory_linked:
    "Ein Verzeichnis im Datenverzeichnis von Casella wurde im laufenden Betrieb durch einen symbolischen Link ersetzt, deshalb kann nichts gespeichert werden. Stellen Sie das Verzeichnis wieder her; welches, steht im Protokoll.",
  directory_on_other_drive:
    "Ein Verzeichnis im Datenverzeichnis von Casella liegt inzwischen auf einem anderen Laufwerk, deshalb kann nichts gespeichert werden. Hängen Sie das Laufwerk ein oder aus, damit es wie vorher ist, oder starten Sie Casella neu, wenn es so bleiben soll; welches Verzeichnis es ist, steht im Protokoll.",
  disk_full: "Der Datenträger ist voll. Schaffen Sie Platz, und versuchen Sie es erneut.",
  file_gone: "Diese Datei ist nicht mehr im Ordner.",
  local_only: "Casella arbeitet nur lokal, deshalb wird nichts an {{host}} gesendet. {{remedy}}",
  local_only_program:
    "Casella arbeitet nur lokal, und dieses Programm könnte selbst andere Computer erreichen. {{remedy}}",
  name_of_file: "„{{name}}“ ist hier der Name einer Datei. Wählen Sie einen anderen Unterordner.",
  no_picture_there: "Unter dieser Adresse gibt es kein Bild.",
  no_server_named: "Es gibt keinen Server namens {{host}}.",
  no_text_there: "Dort gibt es keinen lesbaren Text, sondern {{type}}.",
  not_a_directory:
    "„{{place}}“ im Datenverzeichnis muss ein Verzeichnis sein. Entfernen Sie, was dort liegt, und starten Sie Casella neu.",
  not_absolute_address: "Das ist keine vollständige Adresse.",
  other_computers: "andere Computer",
  owner_can_allow_programs:
    "Ein Inhaber kann das unter Einstellungen › Datenschutz ausschalten oder solche Programme erlauben.",
  owner_can_switch_off: "Ein Inhaber kann das unter Einstellungen › Datenschutz ausschalten.",
  path_absolute: "{{field}} muss ein Pfad innerhalb des Ordners sein, kein absoluter.",
  path_not_unicode: "{{field}} muss gültiges Unicode sein.",
  path_too_deep: "{{field}} darf höchstens {{count, number}} Ordner tief sein.",
  path_too_long: "{{field}} darf höchstens {{count, number}} Zeichen lang sein.",
  path_with_dots: "{{field}} darf weder „..“ noch Namen aus Punkten und Leerzeichen enthalten.",
  path_with_drive: "{{field}} darf kein Laufwerk nennen.",
  path_with_empty_name: "{{field}} enthält einen Namen ohne verwendbare Zeichen.",
  path_with_long_name: "{{field}} enthält einen Namen mit mehr als {{count, number}} Byte.",
  path_with_nul: "{{field}} darf kein NUL-Zeichen enthalten.",
  path_with_own_name: "{{field}} enthält einen Namen, den Casella selbst verwendet.",
  path_with_reserved_name: "{{field}} darf den reservierten Namen „{{name}}“ nicht enthalten.",
  path_with_separator: "{{field}} enthält ein Zeichen, das als Pfadtrennzeichen gilt.",
  path_without_name: "{{field}} muss mit dem Namen der Datei enden.",
  picture_not_fetched: "Das Bild kann nicht abgerufen werden.",
  port_without_pages: "An diesem Port gibt es keine Webseite.",
  redirected_without_end: "Der Server leitet endlos von einer Adresse zur nächsten weiter.",
  secrets_damaged:
    "secrets.json im Datenverzeichnis ist beschädigt. Verschieben Sie die Datei, geben Sie dann die Schlüssel neu ein und melden Sie sich bei Diensten neu an.",
  server_too_slow: "Der Server hat mehr als {{count, number}} s für eine Antwort gebraucht.",
  server_unreachable: "Der Server ist nicht erreichbar oder kein Webserver.",
  shutting_down: "Casella wird beendet.",
  something_unknown: "etwas Unbekanntes",
  started_local_only: "Es wurde mit --local-only gestartet; starten Sie es ohne, um das zu ändern.",
  system_refuses:
    "Das System lässt Casella eine dafür nötige Datei oder ein Verzeichnis nicht verwenden. Prüfen Sie die Berechtigungen und das Laufwerk; was es ist, steht im Protokoll.",
  temporary_files_closed:
    "Casella kann keine temporären Dateien schreiben. Erlauben Sie das Schreiben in tmp im Datenverzeichnis, und versuchen Sie es erneut.",
  too_many_open_files: "Auf diesem Computer sind zu viele Dateien geöffnet. Versuchen Sie es später erneut.",
  too_much_waiting: "Dafür wartet schon zu viel. Versuchen Sie es später erneut.",
  web_addresses_only: "Nur http- und https-Adressen können abgerufen werden.",
  stopping: "Casella wird beendet. Versuchen Sie es erneut, wenn es wieder läuft.",
})
