import type { tools as english } from "../../../../shared/sentences/tools.ts"
import { translation } from "../../translation.ts"

export const tools = translation<typeof english>()({
  answer_too_large: "Der Server hat mehr als {{count, number}} MB gesendet.",
  arguments_not_object: "Die Argumente müssen ein Objekt sein.",
  arguments_too_long: "Die Argumente sind länger als {{count, number}} Zeichen.",
  arguments_unfit: "Die Argumente passen nicht: {{what}}",
  code_too_large: "Der Code hat den verfügbaren Arbeitsspeicher überschritten und wurde gestoppt.",
  code_too_slow: "Der Code lief länger als {{count, number}} s und wurde gestoppt.",
  duckduckgo_wants_person:
    "DuckDuckGo verlangt ein CAPTCHA. Versuchen Sie es später erneut, oder wählen Sie in den Einstellungen eine andere Suche.",
  ended_from_outside:
    "Dieses Tool wurde von außen beendet. Möglicherweise ist der Arbeitsspeicher knapp: Versuchen Sie es später erneut.",
  no_page:
    "Der Server hat mit {{status}} geantwortet: Die Seite gibt es nicht, oder sie ist nicht öffentlich.",
  no_place: "Es ist kein Ort namens „{{place}}“ bekannt.",
  no_program: "Dieses Programm gibt es auf diesem Computer nicht.",
  no_room:
    "Diese Antwort hat keinen Platz für weitere Ergebnisse: Antworten Sie mit dem Vorhandenen, oder fragen Sie weniger ab.",
  no_such_document:
    "Dieses Dokument gibt es in den Ordnern dieses Chats nicht. Listen Sie die Dateien auf, um zu sehen, welche es gibt.",
  fact_changed:
    "Der Fakt hat sich seit der Rückfrage geändert, deshalb wurde nichts getan. Rufen Sie die Fakten ab, und versuchen Sie es dann erneut.",
  no_such_fact: "Kein Fakt enthält diese Wörter. Rufen Sie sie zuerst ab.",
  no_web_search: "Das Web kann nicht durchsucht werden: {{why}}.",
  not_encrypted: "{{host}} würde ohne Verschlüsselung erreicht. Verwenden Sie eine https-Adresse.",
  not_started: "Dieses Tool konnte nicht gestartet werden. Versuchen Sie es später erneut.",
  other_folder: "Das ist kein Ordner dieses Chats. Es gibt: {{all}}",
  page_without_text: "Auf dieser Seite gibt es keinen Text.",
  pictures_of_text: "Dieses Dokument enthält nur Bilder von Text.",
  search_busy: "{{engine}} nimmt derzeit keine Suchanfragen mehr an. Versuchen Sie es später erneut.",
  search_refused:
    "{{engine}} lehnt die Suche ab ({{status}}): Prüfen Sie die Einstellungen, zum Beispiel den Schlüssel.",
  search_status: "{{engine}} hat mit {{status}} statt mit Ergebnissen geantwortet.",
  search_unknown: "{{engine}} hat etwas anderes als Ergebnisse geantwortet: Prüfen Sie die Einstellungen.",
  server_ended: "Der Server wurde beendet.",
  server_ended_early: "Der Server wurde beendet, bevor er geantwortet hatte.",
  server_keeps_failing:
    "Auf dem Server traten mehrmals hintereinander Fehler auf. Versuchen Sie es in einer Minute erneut.",
  server_not_reached: "Der Server ist nicht erreichbar oder verwendet nicht das Model Context Protocol.",
  server_refused: "Der Server hat abgelehnt: {{words}}",
  server_said: "{{what}} Meldung: {{words}}",
  server_too_slow: "Der Server hat zu lange gebraucht.",
  several_facts: "Mehrere Fakten enthalten diese Wörter, seien Sie genauer: {{all}}",
  sign_in_failed: "Die Anmeldung ist fehlgeschlagen: {{words}}",
  text_needed: "Für {{action}} wird „text“ benötigt.",
  too_many_servers: "Es werden zu viele Server verwendet. Versuchen Sie es später erneut.",
  too_much_to_calculate: "Das ist zu viel zu berechnen: Verkleinern Sie die Zahlen oder Matrizen.",
  weather_busy: "Der Wetterdienst nimmt derzeit keine Anfragen mehr an.",
  weather_status: "Der Wetterdienst hat mit {{status}} geantwortet.",
  weather_unknown: "Der Wetterdienst hat etwas Unbekanntes geantwortet.",
  which_folder: "Tabellen werden Ordner für Ordner abgefragt. Nennen Sie einen als folderId: {{all}}",
})
