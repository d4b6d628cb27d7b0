import type { remote as english } from "../../../../shared/sentences/remote.ts"
import { translation } from "../../translation.ts"

export const remote = translation<typeof english>()({
  address_unknown: "{{server}} kennt diese Adresse oder dieses Modell nicht.",
  answer_too_large: "Die Antwort von {{server}} ist zu groß.",
  broke_off: "Der Modellserver hat seine Antwort mittendrin abgebrochen. Senden Sie die Nachricht erneut.",
  busy: "{{server}} ist überlastet. Versuchen Sie es gleich noch einmal.",
  failed: "Bei {{server}} ist ein Fehler aufgetreten ({{status}}).",
  failed_answering: "Beim Antworten ist auf dem Modellserver ein Fehler aufgetreten. Er meldet: {{words}}",
  key_refused: "{{server}} lehnt den Schlüssel ab. Ändern Sie ihn unter Einstellungen › Modellserver.",
  lists_nothing:
    "{{server}} listet seine Modelle nicht auf. Nennen Sie die Modelle, die Sie verwenden möchten.",
  no_answer: "{{server}} antwortet nicht.",
  no_model:
    "Der Modellserver listet kein Modell auf. Prüfen Sie seine Adresse und ob ein Modell geladen ist.",
  not_a_completion:
    "Was der Modellserver gesendet hat, ist keine Antwort eines Modells. Prüfen Sie, ob er läuft und ob die Adresse stimmt; sie endet meist auf /v1.",
  out_of_quota:
    "Das Kontingent Ihres Kontos bei {{server}} ist aufgebraucht. Laden Sie dort Guthaben auf, oder wählen Sie ein anderes Modell.",
  piece_too_large: "Der Modellserver hat auf einmal mehr gesendet, als von einer Antwort gelesen wird.",
  not_a_list:
    "Unter dieser Adresse werden keine Modelle aufgelistet. Prüfen Sie sie: Sie endet meist auf /v1.",
  not_embeddings: "Was der Modellserver gesendet hat, ist keine Antwort eines Einbettungsmodells.",
  not_json: "{{server}} antwortet nicht wie ein Modellserver (in JSON); prüfen Sie die Adresse.",
  redirects: "{{server}} ist dort nicht erreichbar: Es wird an eine andere Adresse weitergeleitet.",
  request_refused: "{{server}} kann diese Anfrage nicht verarbeiten.",
  says: "{{what}} Meldung: {{words}}",
  too_many_calls: "Der Modellserver verlangt zu viele oder zu lange Tool-Aufrufe.",
  unreachable: "{{server}} ist nicht erreichbar. Prüfen Sie die Adresse und ob der Server läuft.",
  vectors_changed:
    "Das Einbettungsmodell des Modellservers ist nicht mehr dasselbe (seine Vektoren haben eine andere Länge). Wählen Sie das Einbettungsmodell erneut aus, um neu zu indexieren.",
})
