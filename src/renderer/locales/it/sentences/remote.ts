import type { remote as english } from "../../../../shared/sentences/remote.ts"
import { translation } from "../../translation.ts"

export const remote = translation<typeof english>()({
  address_unknown: "{{server}} non conosce questo indirizzo o modello.",
  answer_too_large: "La risposta di {{server}} è troppo grande.",
  broke_off: "Il server del modello si è interrotto a metà della risposta. Invia di nuovo il messaggio.",
  busy: "{{server}} ha troppo da fare. Riprova tra un momento.",
  failed: "{{server}} ha avuto un errore ({{status}}).",
  failed_answering: "Il server del modello ha avuto un errore mentre rispondeva. Dice: {{words}}",
  key_refused: "{{server}} rifiuta la chiave. Cambiala in Impostazioni, Modelli.",
  lists_nothing: "{{server}} non elenca i suoi modelli. Indica quelli che vuoi usare.",
  no_answer: "{{server}} non risponde.",
  no_model:
    "Il server del modello non elenca alcun modello. Controlla l’indirizzo e che un modello sia caricato.",
  not_a_completion:
    "Ciò che il server del modello ha mandato non è la risposta di un modello. Controlla l’indirizzo, che di solito finisce con /v1, e che sia in esecuzione.",
  out_of_quota:
    "{{server}} non accetta altre richieste di questo account, la cui quota è esaurita. Ricaricala lì, o scegli un altro modello.",
  piece_too_large:
    "Il server del modello ha mandato in un solo pezzo più di quanto venga letto di una risposta.",
  not_a_list:
    "Ciò che si trova a questo indirizzo non elenca modelli. Controlla l’indirizzo: di solito finisce con /v1.",
  not_embeddings:
    "Ciò che il server del modello ha mandato non è la risposta di un modello di ricerca (embedding).",
  not_json: "{{server}} non risponde come un server di modelli (in JSON): controlla l’indirizzo.",
  redirects: "{{server}} non è raggiungibile lì: rimanda altrove.",
  request_refused: "{{server}} non può trattare questa richiesta.",
  says: "{{what}} Dice: {{words}}",
  too_many_calls: "Il server del modello chiede troppe chiamate di funzioni, o troppo lunghe.",
  unreachable: "{{server}} non è raggiungibile. Controlla l’indirizzo e che sia in esecuzione.",
  vectors_changed:
    "Il modello di ricerca del server non è quello di prima (i suoi vettori hanno un’altra lunghezza): è stato sostituito?",
})
