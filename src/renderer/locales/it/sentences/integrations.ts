import type { integrations as english } from "../../../../shared/sentences/integrations.ts"
import { translation } from "../../translation.ts"

export const integrations = translation<typeof english>()({
  answered_twice: "Questo accesso ha ricevuto due risposte. Ricomincia.",
  arguments_not_object: "i suoi argomenti non sono un oggetto",
  consent_first: "Questo avvia un programma su questo computer. Prima conferma il suo comando esatto.",
  function_off: "L’utente ha disattivato questo strumento.",
  functions_changed:
    "Gli strumenti di {{name}} sono cambiati da quando sono stati approvati, quindi sono tutti disattivati. L’utente può controllarli in Impostazioni › Server MCP o Impostazioni › Account.",
  invisible_name: "il suo nome contiene caratteri invisibili",
  name_taken: "Esiste già un server con questo nome: {{key}}.",
  no_address: "Non ha ancora un indirizzo. Prima inseriscine uno.",
  no_function: "Nessuno strumento con questo nome è in uso.",
  no_sign_in: "Il server richiede un accesso, ma non dice dove.",
  none_such: "Integrazione non trovata, o non è tua.",
  not_described: "la sua descrizione non segue il protocollo",
  not_elsewhere: "Questa integrazione non ha più un server remoto.",
  not_let_in: "Il provider ha negato l’accesso.",
  not_linked: "Non è collegata. Prima collegala.",
  not_linked_any_more: "Non è più collegata.",
  only_the_first: "si usano solo i primi {{count, number}}",
  other_began:
    "Qualcun altro, o un’altra sessione, ha avviato questo accesso. Non è stato collegato nulla. Ricomincia dove hai effettuato l’accesso.",
  other_than_offered: "Nel frattempo il server ha cambiato i suoi strumenti. Controllali di nuovo.",
  owners_only: "Solo i proprietari possono {{what}}.",
  reach_network: "raggiungere server della sua rete",
  run_programs: "avviare programmi su questo computer",
  schema_fault: "il suo schema {{fault}}",
  schema_too_long: "il suo schema supera {{count, number}} caratteri",
  sign_in_again: "Accedi di nuovo in Impostazioni › Server MCP o Impostazioni › Account.",
  sign_in_expired: "Questo accesso è scaduto. Ricomincialo in Casella.",
  token_refused: "Il server non accetta questo token di accesso.",
  too_many: "Hai già {{count, number}} server, il massimo. Prima rimuovine uno.",
  two_of_name: "un altro ha lo stesso nome",
  unsafe_sign_in: "La pagina di accesso del server è a un indirizzo che non è sicuro aprire.",
  wrong_issuer: "La risposta non viene dal server in cui hai effettuato l’accesso.",
})
