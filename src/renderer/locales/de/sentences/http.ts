import type { http as english } from "../../../../shared/sentences/http.ts"
import { translation } from "../../translation.ts"

export const http = translation<typeof english>()({
  body_not_compressed: "Der Inhalt ist nicht so komprimiert, wie Content-Encoding angibt.",
  body_not_json: "Der Inhalt ist kein gültiges JSON.",
  body_not_utf8: "Senden Sie den Inhalt als JSON in UTF-8.",
  body_too_large: "Der Inhalt ist größer als {{size, number}} MB.",
  body_too_large_by_far: "Der Inhalt ist größer als erlaubt.",
  box_ended:
    "Casella wurde vor der Antwort beendet. Prüfen Sie, ob die Aktion ausgeführt wurde, und versuchen Sie es dann erneut.",
  box_failed: "In Casella ist ein Fehler aufgetreten. Einzelheiten stehen im Protokoll.",
  box_waits: "Dieser Server wartet auf einen anderen, der läuft. Fragen Sie jenen.",
  caller_gone: "Der Aufrufer hat die Verbindung beendet.",
  disk_full: "Der Datenträger ist voll. Schaffen Sie Platz, und versuchen Sie es erneut.",
  field: "{{field}}: {{what}}",
  file_ends: "Die Datei hat nur {{size, number}} Byte.",
  file_field: "Senden Sie die Datei im Feld „{{field}}“.",
  file_too_large: "Die Datei ist größer als {{size}}. Teilen Sie sie in kleinere Dateien auf.",
  form_malformed: "Die Formulardaten sind fehlerhaft oder unvollständig.",
  full_rights_only: "Das erfordert die App selbst oder einen API-Schlüssel mit allen Rechten.",
  host_refused:
    "Casella antwortet unter diesem Hostnamen nicht. Erlauben Sie ihn mit --allow-host, wenn er Ihnen gehört.",
  invalid: "Die Anfrage ist ungültig: {{what}}",
  key_invalid: "Dieser API-Schlüssel ist ungültig. Prüfen Sie ihn, oder erstellen Sie einen neuen.",
  key_limited:
    "Dieser API-Schlüssel ist beschränkt auf: {{scopes}}. Verwenden Sie einen Schlüssel mit mehr Rechten.",
  key_may_not_listen: "Dieser API-Schlüssel darf keine Ereignisse empfangen.",
  key_missing: "Senden Sie einen API-Schlüssel im Header x-api-key.",
  key_unconfirmed:
    "Dieser API-Schlüssel stammt aus einem wiederhergestellten Backup. Ein Inhaber muss ihn unter Einstellungen › Backup bestätigen.",
  key_without_folders:
    "Dieser API-Schlüssel hat keinen Zugriff auf Ordner. Verwenden Sie einen mit der Berechtigung folders.",
  malformed: "Die Anfrage ist fehlerhaft.",
  newer_box_needed:
    "Derzeit läuft kein Server, und dieser ist zu alt für die Datenbank. Starten Sie einen Server mit der neueren Casella-Version, oder aktualisieren Sie diesen.",
  no_box_runs: "Derzeit läuft kein Server. Versuchen Sie es in Kürze erneut.",
  no_body: "Der Inhalt fehlt.",
  no_boundary: "Die Formulardaten sind fehlerhaft: Ihre Begrenzung fehlt.",
  no_endpoint: "{{method}} {{path}} gibt es hier nicht. Siehe /api/docs.",
  no_file: "Die Anfrage enthält keine Datei.",
  no_file_in_form: "Die Anfrage enthält keine Datei. Senden Sie sie als multipart/form-data.",
  no_method: "{{method}} gibt es hier nicht, nur {{allowed}}.",
  no_socket: "Diesen WebSocket gibt es nicht.",
  no_worker: "Nur Server desselben Dienstes dürfen für diesen arbeiten.",
  worker_not_needed: "Dieser Server hat eine andere Version, oder es arbeiten schon genug andere für ihn.",
  one_bearer: "Senden Sie genau einen API-Schlüssel als Authorization: Bearer KEY.",
  one_file: "Senden Sie eine Datei pro Anfrage.",
  one_key: "Senden Sie genau einen API-Schlüssel im Header x-api-key.",
  origin_needed: "Die Sitzung der App benötigt hier einen Origin-Header.",
  origin_refused:
    "Anfragen von diesem Web-Ursprung werden abgelehnt. Erlauben Sie ihn mit --allow-origin, wenn er Ihnen gehört.",
  owner_only: "Das darf nur ein Inhaber des Arbeitsbereichs. Fragen Sie einen.",
  second_cookie:
    "Ein anderes Programm auf diesem Computer hat ein zweites Sitzungs-Cookie gesetzt. Löschen Sie in Ihrem Browser die Cookies dieser Adresse, und melden Sie sich dann erneut an.",
  send_json: "Senden Sie den Inhalt als JSON mit Content-Type: application/json.",
  socket_only: "Diese Adresse nimmt nur WebSocket-Verbindungen an.",
  too_many_fields: "Das Formular hat zu viele Felder.",
  too_many_parts: "Das Formular hat zu viele Teile.",
  too_many_wrong_keys:
    "Von diesem Computer kamen zu viele falsche API-Schlüssel. Prüfen Sie den Schlüssel, und versuchen Sie es in einer Minute erneut.",
  upload_cut_off: "Der Upload wurde abgebrochen.",
})
