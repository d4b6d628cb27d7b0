import type { chat as english } from "../../../../shared/sentences/chat.ts"
import { translation } from "../../translation.ts"

export const chat = translation<typeof english>()({
  assistant_gone: "L’assistente @{{handle}} non esiste più.",
  being_answered: "Questa chat sta ancora ricevendo una risposta. Aspetta che finisca, oppure interrompila.",
  being_changed: "Questa chat sta cambiando. Riprova tra un momento.",
  call_answered: "Su questo è già stato deciso.",
  call_expired: "Questa richiesta ha atteso troppo una decisione, quindi è stata negata. Chiedi di nuovo.",
  does_not_stop: "Il modello non si ferma. Riprova o riavvia Casella.",
  file_too_large: "Il file supera {{count, number}} MB.",
  goes_on_already: "La risposta sta già proseguendo.",
  interrupted: "Casella si è chiusa mentre veniva scritta questa risposta.",
  last_not_users: "L’ultimo messaggio deve essere il nuovo messaggio dell’utente.",
  message_empty: "Il nuovo messaggio è vuoto.",
  no_assistant_among: "L’assistente {{handle}} non esiste. Disponibili: {{all}}.",
  no_call_waits: "In questa chat nessuna chiamata con questo id attende un’approvazione.",
  no_file: "In questa chat non c’è questo file.",
  no_model_nor_folders:
    "Nessun modello installato. Aggiungine uno, o scegli delle cartelle da cui avere citazioni.",
  no_such_model: "Modello non trovato. Ometti modelId per usare il modello di chat scelto.",
  no_model_to_go_on: "Nessun modello installato può continuare questa risposta. Aggiungine uno.",
  nothing_written:
    "In questa chat non si sta scrivendo alcuna risposta. Carica la chat per vederne i messaggi.",
  other_assistant: "@{{handle}} ora è un altro assistente, quindi il compito è stato annullato.",
  own_attachments_only: "Si possono allegare solo i file della cartella della chat.",
  stopping: "Casella si sta chiudendo. Chiedi di nuovo quando sarà in esecuzione.",
  stays_here:
    "Questa chat ha letto una cartella che resta su questo computer, quindi {{model}}, che gira su un server, non può leggerla. Scegli un modello su questo computer.",
  tools_need_full_rights:
    "Questa chiave API ha diritti limitati, quindi non può usare account collegati e server MCP. Toglili da builtInTools.",
  too_long: "Questa chat è diventata troppo lunga. Iniziane una nuova.",
  too_many_answers:
    "Sono già in corso {{count, number}} risposte. Aspetta che ne finisca una, oppure interrompine una.",
  too_many_chats: "Hai già 100.000 chat, il massimo. Prima eliminane qualcuna.",
})
