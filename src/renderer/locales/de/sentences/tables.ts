import type { tables as english } from "../../../../shared/sentences/tables.ts"
import { translation } from "../../translation.ts"

export const tables = translation<typeof english>()({
  answer_too_large: "Eine einzelne Zeile der Antwort ist zu groß. Fragen Sie kürzere Texte ab.",
  being_made: "Tabellen dieses Ordners werden noch erstellt. Versuchen Sie es in einer Minute erneut.",
  folder_full:
    "Die Tabellen des Ordners haben zu viele Spalten, um auch die dieser Datei aufzunehmen. Verschieben Sie Dateien in andere Ordner.",
  gone: "Die Tabellen werden neu erstellt. Versuchen Sie es später erneut.",
  only_select: "Nur eine einzelne SELECT-Anweisung ist erlaubt.",
  only_tables:
    "Die Abfrage liest etwas anderes als die Tabellen dieses Ordners. Verwenden Sie nur deren Namen.",
  sql_too_long: "Das SQL ist länger als {{count, number}} Zeichen. Kürzen Sie es.",
  sql_wrong: "Das SQL kann nicht ausgeführt werden: {{words}}",
  too_much_memory:
    "Die Abfrage benötigte mehr als {{count, number}} MB Arbeitsspeicher und wurde abgebrochen. Fragen Sie weniger auf einmal ab.",
  too_slow:
    "Die Abfrage dauerte länger als {{count, number}} s und wurde abgebrochen. Fragen Sie weniger auf einmal ab.",
})
