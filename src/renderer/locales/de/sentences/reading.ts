import type { reading as english } from "../../../../shared/sentences/reading.ts"
import { translation } from "../../translation.ts"

export const reading = translation<typeof english>()({
  answer_too_large: "Die Antwort des Modells zu einem Teil davon war zweimal zu groß.",
  being_indexed: "Die Datei wurde noch indexiert.",
  changed:
    "Die Datei wurde beim Lesen geändert. Fragen Sie erneut, um sie in der jetzigen Fassung lesen zu lassen.",
  gone: "Die Datei wurde beim Lesen entfernt.",
  late: "Die Zeit zum Lesen war um. Fragen Sie erneut: Schon Gelesenes wird nicht noch einmal gelesen.",
  no_model: "Es gibt noch kein Modell, das sie lesen könnte.",
  no_text: "Darin wurde kein Text gefunden.",
  no_room:
    "Das Kontextfenster von {{model}} umfasst {{count, number}} Tokens (Wortteile). Das ist zu wenig, um neben dieser Frage alles zu lesen. Wählen Sie ein anderes Modell, kürzen Sie die Frage oder die Anweisungen, oder fragen Sie mit Textstellen statt mit allem.",
  no_such_file: "Diese Datei gibt es nicht, oder Sie dürfen sie nicht lesen.",
  nothing_noted: "Das Modell hat zu einem Teil davon zweimal nichts gesagt.",
  nothing_in_filter: "Keine Datei mit Text in den ausgewählten Ordnern passt zum Filter.",
  nothing_to_read:
    "Es gibt nichts vollständig zu lesen. Geben Sie Ordner (vector) oder Dateien (fileIds) mit Text an.",
  removed: "Die Datei wurde entfernt.",
  repeated_itself: "Das Modell hat sich bei einem Teil davon zweimal nur wiederholt.",
  said_too_much: "Die Notizen des Modells zu einem Teil davon waren zu lang.",
  stopped: "Das Lesen wurde gestoppt.",
  table_of_passages:
    "Eine Tabelle entsteht aus allem, wonach gefragt wird. Lassen Sie `reading` oder die Tabelle weg.",
  too_much:
    "Das ist zu viel, um es vollständig zu lesen: {{characters, number}} Zeichen, mit diesem Modell etwa {{minutes, number}} Minuten. Geben Sie weniger Dateien oder Ordner an, fragen Sie mit Textstellen statt mit allem, oder erhöhen Sie den Grenzwert unter Einstellungen › Verwendete Modelle.",
  unreadable: "Die Datei konnte nicht gelesen werden.",
  withheld:
    "Die Datei bleibt jetzt auf diesem Computer, deshalb wurde sie dem Modell auf einem Server nicht gesendet.",
})
