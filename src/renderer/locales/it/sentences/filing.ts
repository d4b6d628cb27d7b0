import type { filing as english } from "../../../../shared/sentences/filing.ts"
import { translation } from "../../translation.ts"

export const filing = translation<typeof english>()({
  bytes_missing: "Manca il contenuto di questo file, quindi non si può spostare.",
  chat_stays_here:
    "Questa chat ha letto contenuti che restano su questo computer, quindi nulla può andare in una cartella che può lasciarlo.",
  more_readers:
    "Quella cartella può essere letta da più persone di quando ti è stato chiesto. Non è stato cambiato nulla.",
  changed_since:
    "Nel frattempo il file è stato di nuovo rinominato, spostato o etichettato. Prima annulla quella modifica.",
  everyone_reads: "{{what}} Lì può leggerlo chiunque usi questa Casella.",
  folder_created: "{{folder}} (creata il {{created}})",
  move: "Spostare «{{file}}» da {{folder}} a {{target}}.",
  moved_meanwhile: "Nel frattempo il file è stato rinominato o spostato. Controllalo e riprova.",
  name_taken: "«{{name}}» c’è già. Scegli un altro nome.",
  none_such: "Modifica non trovata.",
  note: "Aggiungere la nota «{{name}}» a «{{file}}» in {{folder}}: {{count, number}} caratteri.",
  path: "«{{path}}»",
  rename: "Rinominare «{{file}}» in {{folder}} come «{{name}}».",
  several_files: "Più file hanno questo nome. Usa uno di questi id: {{all}}",
  stays_here:
    "{{folder}} resta su questo computer, quindi nulla di essa può andare in una cartella che può lasciarlo.",
  tag: "Etichettare «{{file}}» in {{folder}}: «{{tags}}».",
  team_reads: "{{what}} Lì può leggerlo il tuo team.",
  undone: "Questa modifica è già stata annullata.",
  untag: "Rimuovere tutte le etichette da «{{file}}» in {{folder}}.",
})
