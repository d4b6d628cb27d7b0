import type { reading as english } from "../../../../shared/sentences/reading.ts"
import { translation } from "../../translation.ts"

export const reading = translation<typeof english>()({
  answer_too_large: "Su una parte la risposta del modello era troppo grande, due volte.",
  being_indexed: "Era ancora in fase di indicizzazione.",
  changed: "È stato modificato durante la lettura. Chiedi di nuovo perché venga letto com’è ora.",
  gone: "È stato rimosso durante la lettura.",
  late: "Il tempo per la lettura è finito. Chiedi di nuovo: ciò che è già stato letto non viene riletto.",
  no_model: "Non c’è ancora un modello che possa leggerlo.",
  no_text: "Non vi è stato trovato alcun testo.",
  no_room:
    "{{model}} contiene {{count, number}} token (pezzi di parola): troppo pochi per leggere per intero con questa domanda. Scegli un altro modello, accorcia la domanda o le istruzioni, o chiedi con passaggi invece di tutto (senza `whole`).",
  no_such_file: "Questo file non esiste, o non puoi leggerlo.",
  nothing_noted: "Di una parte il modello non ha detto nulla, due volte.",
  nothing_in_filter: "Nessun file con del testo nelle cartelle scelte corrisponde al filtro.",
  nothing_to_read:
    "Non c’è nulla da leggere per intero. Indica cartelle (vector) o file (fileIds) che contengano testo.",
  removed: "È stato rimosso.",
  repeated_itself: "Su una parte il modello non ha fatto che ripetersi, due volte.",
  said_too_much: "Di una parte il modello aveva da annotare più di quanto possa scrivere.",
  stopped: "La lettura è stata fermata.",
  table_of_passages: "Una tabella è fatta di tutto ciò di cui si chiede. Ometti `reading`, o la tabella.",
  too_much:
    "È troppo da leggere per intero: {{characters, number}} caratteri, circa {{minutes, number}} minuti con questo modello. Indica meno file o cartelle, chiedi con passaggi invece di tutto (senza `whole`), o alza il limite nelle impostazioni (wholeLimit).",
  unreadable: "Non è stato possibile leggerlo.",
  withheld: "Ora resta su questo computer, perciò non è stato inviato al modello che gira su un server.",
})
