import type { automations as english } from "../../../../shared/sentences/automations.ts"
import { translation } from "../../translation.ts"

export const automations = translation<typeof english>()({
  answer_failed: "Die Antwort ist fehlgeschlagen. Der Grund steht im Chat.",
  circle:
    "Die Automatisierung hat sich zum dritten Mal in Folge selbst ausgelöst und wurde deshalb gestoppt. Lassen Sie sie in einen anderen Ordner schreiben oder auf andere Dateien warten.",
  cut_too_often: "Casella wurde währenddessen {{count, number}}-mal beendet.",
  enough_today: "Sie wurde heute {{count, number}}-mal ausgeführt; das ist ihr Limit.",
  file_gone: "Die Datei ist nicht mehr vorhanden oder darf nicht mehr gelesen werden.",
  folders_not_yours: "Einige der Ordner gibt es nicht, oder Sie dürfen sie nicht durchsuchen.",
  held: "Das stammt aus einem wiederhergestellten Backup. Bis ein Inhaber unter Einstellungen › Backup darüber entscheidet, können Sie es löschen, aber nicht ändern.",
  hook_of_key:
    "Dem API-Schlüssel, der diese Adresse erstellt hat, fehlen Rechte für das, was die Automatisierung jetzt tut. Ihr Inhaber kann eine neue Adresse erstellen.",
  input_too_long: "Ein Webhook nimmt höchstens 64 KB an.",
  maker_revoked:
    "Der API-Schlüssel, der diese Automatisierung erstellt hat, wurde widerrufen. Speichern Sie sie erneut, um sie unter Ihrem Namen auszuführen.",
  matches_everything: "passt auf jede Datei: Lassen Sie es dafür weg",
  never: "tritt nie ein: Diesen Tag gibt es nicht",
  no_assistant: "ist kein Assistent, den Sie fragen dürfen",
  no_cron: "ist kein Zeitplan: Geben Sie Minute, Stunde, Tag, Monat und Wochentag an, zum Beispiel 0 9 * * 1",
  no_hook: "Diesen Webhook gibt es nicht.",
  no_pattern: "ist kein Muster: Schließen Sie die Klammern, und geben Sie nur wenige Alternativen an",
  no_run: "Diese Ausführung gibt es nicht.",
  no_time_zone: "ist keine Zeitzone: Geben Sie einen Namen wie Europe/Berlin an",
  none_such: "Diese Automatisierung gibt es nicht.",
  queue_full: "Es warten schon {{count, number}} Ausführungen davon.",
  ran_already: "Dafür wurde sie schon ausgeführt.",
  restored: "Inzwischen wurde ein Backup wiederhergestellt.",
  starter_revoked: "Der API-Schlüssel, der diese Ausführung gestartet hat, wurde widerrufen.",
  switched_off: "Die Automatisierung ist ausgeschaltet.",
  too_many: "Es sind höchstens {{count, number}} Automatisierungen möglich. Löschen Sie zuerst eine.",
  too_many_failures:
    "Sie ist {{count, number}}-mal in Folge fehlgeschlagen und wurde deshalb ausgeschaltet: {{reason}}",
  took_too_long: "Sie hat länger gedauert als ihre {{minutes, number}} Minuten.",
  watch_needs_files: "benötigt einen Auslöser, der auf Dateien eines Ordners wartet",
})
