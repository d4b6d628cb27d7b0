import type { integrations as english } from "../../../../shared/sentences/integrations.ts"
import { translation } from "../../translation.ts"

export const integrations = translation<typeof english>()({
  answered_twice: "Questo accesso ha ricevuto due risposte. Ricomincia.",
  arguments_not_object: "i suoi argomenti non sono un oggetto",
  consent_first: "Questo avvia un programma su questo computer: prima acconsenti esattamente al suo comando.",
  function_off: "L’utente ha disattivato questa funzione.",
  functions_changed:
    "Ciò che {{name}} dice delle sue funzioni è cambiato da quando è stato approvato, perciò sono tutte disattivate. L’utente può guardarlo in Impostazioni, Strumenti.",
  invisible_name: "il suo nome contiene caratteri invisibili",
  name_taken: "C’è già un server con questo nome: {{key}}.",
  no_address: "Non ha ancora un indirizzo: prima impostane uno.",
  no_function: "Non c’è alcuna funzione in uso con questo nome.",
  no_sign_in: "Il server chiede un accesso, ma non dice dove.",
  none_such: "Questa integrazione non esiste, o non è tua.",
  not_described: "non è descritta come vuole il protocollo",
  not_elsewhere: "Non è più un server remoto.",
  not_let_in: "Il fornitore non ha concesso l’accesso a Casella.",
  not_linked: "Non è collegato: prima collegalo.",
  not_linked_any_more: "Non è più collegato.",
  only_the_first: "si prendono solo le prime {{count}}",
  other_began:
    "Qualcun altro, o un’altra sessione, ha avviato questo accesso. Non è stato collegato nulla. Ricomincia dove hai effettuato l’accesso.",
  other_than_offered: "Ciò che approvi non è ciò che il server offre ora. Riguardalo.",
  owners_only: "Solo i proprietari possono {{what}}.",
  reach_network: "raggiungere server della sua rete",
  run_programs: "avviare programmi su questo computer",
  schema_fault: "il suo schema {{fault}}",
  schema_too_long: "il suo schema supera {{count}} caratteri",
  sign_in_again: "Occorre accedere di nuovo in Impostazioni, Strumenti.",
  sign_in_expired: "Questo accesso è scaduto. Ricomincialo in Casella.",
  token_refused: "Il server non accetta questo token di accesso.",
  too_many: "Ci sono già {{count}} server: prima rimuovine qualcuno.",
  two_of_name: "ce ne sono due con questo nome",
  unsafe_sign_in: "Il server manda i suoi utenti a un indirizzo che non è sicuro aprire.",
  wrong_issuer: "La risposta non viene da dove ti è stato chiesto di accedere.",
})
