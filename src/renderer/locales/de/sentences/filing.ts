import type { filing as english } from "../../../../shared/sentences/filing.ts"
import { translation } from "../../translation.ts"

export const filing = translation<typeof english>()({
  bytes_missing:
    "Der Inhalt dieser Datei ist nicht mehr an seinem Ort, deshalb kann sie nicht verschoben werden.",
  chat_stays_here:
    "Dieser Chat hat etwas gelesen, das auf diesem Computer bleibt. Deshalb gelangt nichts davon in einen Ordner, der ihn verlassen darf.",
  more_readers:
    "Inzwischen können mehr Personen diesen Ordner lesen als bei der Rückfrage. Es wurde nichts geändert.",
  changed_since:
    "Die Datei wurde seitdem umbenannt, verschoben oder verschlagwortet. Machen Sie das zuerst rückgängig.",
  everyone_reads: "{{what}} Alle, die dieses Casella verwenden, können sie dort lesen.",
  folder_created: "{{folder}} (erstellt {{created}})",
  move: "„{{file}}“ aus {{folder}} nach {{target}} verschieben.",
  moved_meanwhile:
    "Die Datei wurde inzwischen umbenannt oder verschoben. Sehen Sie sie an, und versuchen Sie es dann erneut.",
  name_taken: "„{{name}}“ gibt es dort schon. Wählen Sie einen anderen Namen.",
  none_such: "Diese Änderung gibt es nicht.",
  note: "Die Notiz „{{name}}“ neben „{{file}}“ in {{folder}} schreiben: {{count, number}} Zeichen.",
  path: "„{{path}}“",
  rename: "„{{file}}“ in {{folder}} umbenennen in „{{name}}“.",
  several_files: "Mehrere Dateien heißen so. Nennen Sie eine über ihre ID: {{all}}",
  stays_here:
    "{{folder}} bleibt auf diesem Computer, deshalb gelangt nichts davon in einen Ordner, der ihn verlassen darf.",
  tag: "„{{file}}“ in {{folder}} verschlagworten: „{{tags}}“.",
  team_reads: "{{what}} Ihr Team kann sie dort lesen.",
  undone: "Das wurde schon rückgängig gemacht.",
  untag: "Alle Schlagwörter von „{{file}}“ in {{folder}} entfernen.",
})
