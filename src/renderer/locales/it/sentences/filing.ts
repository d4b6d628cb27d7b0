import type { filing as english } from "../../../../shared/sentences/filing.ts"
import { translation } from "../../translation.ts"

export const filing = translation<typeof english>()({
  bytes_missing: "Il contenuto di questo file non è più dov’era, quindi non può essere spostato.",
  chat_stays_here:
    "Questa chat ha letto ciò che resta su questo computer, quindi nulla va in una cartella che può lasciarlo.",
  more_readers:
    "Quella cartella può essere letta da più persone di quando ti è stato chiesto. Non è stato cambiato nulla.",
  changed_since:
    "Nel frattempo il file è stato rinominato, spostato o etichettato. Annulla prima quella modifica.",
  everyone_reads: "{{what}} Lì può leggerlo chiunque usi questa Casella.",
  folder_created: "{{folder}} (creata il {{created}})",
  move: "Spostare «{{file}}» da {{folder}} a {{target}}.",
  moved_meanwhile: "Nel frattempo il file è stato rinominato o spostato. Controllalo e riprova.",
  name_taken: "«{{name}}» c’è già. Scegli un altro nome.",
  none_such: "Questa modifica non esiste.",
  note: "Scrivere la nota «{{name}}» accanto a «{{file}}» in {{folder}}: {{count}} caratteri.",
  path: "«{{path}}»",
  rename: "Rinominare «{{file}}» in {{folder}} come «{{name}}».",
  several_files: "Più file si chiamano così. Indicane uno con il suo id: {{all}}",
  stays_here:
    "{{folder}} resta su questo computer, quindi nulla di essa va in una cartella che può lasciarlo.",
  tag: "Etichettare «{{file}}» in {{folder}}: «{{tags}}».",
  team_reads: "{{what}} Lì può leggerlo il tuo team.",
  undone: "Questa modifica è già stata annullata.",
  untag: "Togliere tutte le etichette a «{{file}}» in {{folder}}.",
})
