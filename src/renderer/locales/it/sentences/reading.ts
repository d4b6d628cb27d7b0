import type { reading as english } from "../../../../shared/sentences/reading.ts"
import { translation } from "../../translation.ts"

export const reading = translation<typeof english>()({
  answer_too_large: "Gli estratti del modello di una parte erano troppo grandi, due volte.",
  being_indexed: "Era ancora in fase di indicizzazione.",
  changed: "È stato modificato durante la lettura. Chiedi di nuovo perché venga letta la nuova versione.",
  gone: "È stato rimosso durante la lettura.",
  late: "È stato raggiunto il limite di tempo per la lettura. Chiedi di nuovo: ciò che è già stato letto non viene riletto.",
  no_model: "Non c’è ancora un modello che possa leggerlo.",
  no_text: "Non vi è stato trovato alcun testo.",
  no_room:
    "{{model}} ha una finestra di contesto di {{count, number}} token, troppo piccola per leggere documenti interi per questa domanda. Scegli un altro modello, accorcia la domanda o le istruzioni, o usa solo i passaggi migliori.",
  no_such_file: "File non trovato, o non vi hai accesso.",
  nothing_noted: "Il modello non ha restituito nulla per una parte, due volte.",
  nothing_in_filter: "Nessun file con del testo nelle cartelle scelte corrisponde al filtro.",
  nothing_to_read:
    "Non c’è nulla da leggere. Indica cartelle (vector) o file (fileIds) che contengano testo.",
  removed: "È stato rimosso.",
  repeated_itself: "Per una parte il modello non ha fatto che ripetersi, due volte.",
  said_too_much: "Gli estratti del modello di una parte erano troppo lunghi.",
  stopped: "La lettura è stata interrotta.",
  table_of_passages: "Una tabella viene dai documenti interi. Ometti `reading`, o la tabella.",
  too_much:
    "È troppo da leggere per intero: {{characters, number}} caratteri, circa {{minutes, number}} minuti con questo modello. Scegli meno file o cartelle, usa solo i passaggi migliori, o chiedi a un proprietario di alzare il limite in Impostazioni › Modelli in uso.",
  unreadable: "Non è stato possibile leggerlo.",
  withheld: "Ora resta su questo computer, perciò non è stato inviato al modello che gira su un server.",
})
