import type { llama as english } from "../../../../shared/sentences/llama.ts"
import { translation } from "../../translation.ts"

export const llama = translation<typeof english>()({
  answered_otherwise: "Das Programm, das das Modell ausführt, hat etwas Unerwartetes geantwortet.",
  could_not_answer: "Das Modell konnte nicht antworten.",
  could_not_be_started: "es konnte nicht gestartet werden",
  ended_unexpectedly:
    "Das Programm, das das Modell ausführt, wurde unerwartet beendet ({{how}}). Senden Sie die Nachricht erneut.",
  ended_while_loading:
    "Das Programm, das das Modell ausführt, wurde beim Laden beendet. Das Modell ist möglicherweise beschädigt oder benötigt mehr Arbeitsspeicher, als frei ist.",
  entry_count: "Anzahl der Einträge",
  exit_code: "Exitcode {{exitCode}}",
  file_cut_short: "Die Modelldatei ist abgeschnitten; laden Sie sie erneut herunter.",
  file_damaged: "Die Modelldatei ist beschädigt ({{what}}); laden Sie sie erneut herunter.",
  file_not_opened:
    "Die Modelldatei kann nicht geöffnet werden. Prüfen Sie, ob sie vorhanden ist und gelesen werden darf.",
  format_or_functions:
    "Ein Antwortformat und Tools lassen sich nicht in einer Anfrage verwenden; lassen Sie eines weg.",
  function_not_given: "Das aufzurufende Tool ist nicht unter den angegebenen Tools.",
  gguf_version: "Die Formatversion der Modelldatei (GGUF) ist nicht lesbar; wählen Sie Version 2 oder 3.",
  needs_more_memory:
    "Das Modell benötigt {{size, number}} GB Arbeitsspeicher, und {{free, number}} GB sind frei. Schließen Sie andere Programme, oder wählen Sie ein kleineres Modell.",
  not_gguf:
    "Die Datei ist kein Modell in dem Format, das Casella liest (GGUF); wählen Sie eine Datei mit der Endung .gguf.",
  not_loaded:
    "Das Modell konnte nicht geladen werden. Es ist möglicherweise beschädigt, zu groß oder von einer Art, die diese Version nicht kennt; wählen Sie ein anderes.",
  not_started: "Das Modell konnte nicht gestartet werden.",
  path_is_directory:
    "Der Pfad des Modells ist ein Verzeichnis, keine Datei. Geben Sie die Datei darin mit der Endung .gguf an.",
  schema_endless:
    "Das Schema in {{parameter}} verweist endlos auf sich selbst, und jede Eigenschaft wird immer geschrieben; lassen Sie es mit einer Liste oder mit null enden.",
  schema_refused: "Das Schema in {{parameter}} wird abgelehnt: {{fault}}.",
  schema_too_large:
    "Das Schema in {{parameter}} ist zu groß oder zu komplex für die Modell-Engine; senken Sie seine Längen- und Anzahlgrenzen, oder vereinfachen Sie es.",
  schema_unchecked:
    "Das Schema in {{parameter}} enthält {{what}}, was nicht garantiert werden kann; lassen Sie es weg.",
  template_refuses: "Das Modell kann diesen Chat nicht lesen. Seine Chatvorlage meldet: {{reason}}",
  tensor_count: "Anzahl der Tensoren",
  too_many_requests:
    "Das Modell beantwortet gerade zu viele Anfragen gleichzeitig. Versuchen Sie es gleich noch einmal.",
})
