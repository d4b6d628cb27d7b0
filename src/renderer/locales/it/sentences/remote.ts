import type { remote as english } from "../../../../shared/sentences/remote.ts"
import { translation } from "../../translation.ts"

export const remote = translation<typeof english>()({
  address_unknown: "Il server del modello non conosce questo indirizzo o modello.",
  answer_too_large: "La risposta del server del modello è troppo grande.",
  broke_off: "Il server del modello si è interrotto a metà della risposta. Invia di nuovo il messaggio.",
  busy: "Il server del modello ha troppo da fare. Riprova tra un momento.",
  failed: "Il server del modello ha avuto un errore ({{status}}).",
  failed_answering: "Il server del modello ha avuto un errore mentre rispondeva. Dice: {{words}}",
  key_refused: "Il server del modello rifiuta la chiave. Controllala nelle impostazioni.",
  no_answer: "Il server del modello non risponde.",
  no_model:
    "Il server del modello non elenca alcun modello. Controlla l’indirizzo e che un modello sia caricato.",
  not_a_completion: "Il server del modello ha mandato qualcosa che non è una risposta di chat.",
  not_embeddings: "Il server del modello ha mandato qualcosa che non sono embedding.",
  not_json: "La risposta del server del modello non è JSON: controlla l’indirizzo.",
  redirects: "Il server del modello non è raggiungibile lì: rimanda altrove.",
  request_refused: "Il server del modello non può trattare questa richiesta.",
  says: "{{what}} Dice: {{words}}",
  too_many_calls: "Il server del modello chiede troppe chiamate di funzioni, o troppo lunghe.",
  unreachable: "Il server del modello non è raggiungibile. Controlla l’indirizzo e che sia in esecuzione.",
  vectors_changed:
    "I vettori del server del modello hanno cambiato lunghezza: il modello è stato sostituito?",
})
