import type { remote as english } from "../../../../shared/sentences/remote.ts"
import { translation } from "../../translation.ts"

export const remote = translation<typeof english>()({
  address_unknown: "{{server}} non conosce questo indirizzo o modello.",
  answer_too_large: "La risposta di {{server}} è troppo grande.",
  broke_off: "Il server del modello si è interrotto a metà della risposta. Invia di nuovo il messaggio.",
  busy: "{{server}} è occupato. Riprova tra un momento.",
  failed: "{{server}} ha restituito un errore ({{status}}).",
  failed_answering: "Il server del modello ha restituito un errore mentre rispondeva. Dice: {{words}}",
  key_refused: "{{server}} ha rifiutato la chiave. Cambiala in Impostazioni › Server di modelli.",
  lists_nothing: "{{server}} non elenca i suoi modelli. Inserisci i nomi di quelli che vuoi usare.",
  no_answer: "{{server}} non risponde.",
  no_model:
    "Il server del modello non elenca alcun modello. Controlla l’indirizzo e che un modello sia caricato.",
  not_a_completion:
    "Il server del modello ha restituito qualcosa che non è la risposta di un modello. Controlla che sia in esecuzione e che l’indirizzo sia giusto. Di solito l’indirizzo termina con /v1.",
  out_of_quota:
    "La quota del tuo account presso {{server}} è esaurita. Ricaricala lì, o scegli un altro modello.",
  piece_too_large: "Il server del modello ha inviato troppi dati in una volta.",
  not_a_list: "Questo indirizzo non elenca alcun modello. Controllalo: di solito termina con /v1.",
  not_embeddings:
    "Il server del modello ha restituito qualcosa che non sono embedding. Controlla che il suo modello sia un modello di embedding.",
  not_json: "{{server}} non ha risposto in JSON come fanno i server di modelli. Controlla l’indirizzo.",
  redirects: "{{server}} reindirizza a un altro indirizzo. Inserisci invece quello.",
  request_refused: "{{server}} ha rifiutato questa richiesta.",
  says: "{{what}} Dice: {{words}}",
  too_many_calls: "Il server del modello ha chiesto troppe chiamate di strumenti, o troppo lunghe.",
  unreachable: "{{server}} non è raggiungibile. Controlla l’indirizzo e che sia in esecuzione.",
  vectors_changed:
    "Il server del modello ora ha un altro modello di embedding (i suoi vettori hanno un’altra lunghezza). Scegli di nuovo il modello di embedding per reindicizzare.",
})
