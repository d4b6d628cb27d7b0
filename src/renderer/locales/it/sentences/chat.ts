import type { chat as english } from "../../../../shared/sentences/chat.ts"
import { translation } from "../../translation.ts"

export const chat = translation<typeof english>()({
  assistant_gone: "L’assistente @{{handle}} non c’è più.",
  being_answered: "Questa chat sta ancora ricevendo una risposta. Aspetta che finisca, oppure fermala.",
  being_changed: "Questa chat sta cambiando. Riprova tra un momento.",
  call_answered: "Su questo è già stato deciso.",
  call_expired: "Questo ha atteso troppo una decisione ed è stato negato. Chiedi di nuovo.",
  does_not_stop: "Il modello non si ferma. Riprova o riavvia Casella.",
  file_too_large: "Il file supera {{count}} MB.",
  goes_on_already: "La risposta sta già proseguendo.",
  interrupted: "Casella si è chiusa mentre veniva scritta questa risposta.",
  last_not_users: "L’ultimo messaggio deve essere quello nuovo dell’utente.",
  message_empty: "Il nuovo messaggio è vuoto.",
  no_assistant_among: "Non c’è alcun assistente {{handle}}. Ci sono: {{all}}.",
  no_call_waits: "Nessuna chiamata di questa chat è in attesa con questo id.",
  no_file: "In questa conversazione non c’è questo file.",
  no_model_nor_folders:
    "Non è installato alcun modello. Aggiungine uno, o scegli delle cartelle da cui avere passaggi.",
  no_such_model: "Questo modello non esiste. Ometti modelId perché risponda quello scelto.",
  no_model_to_go_on: "Non è installato alcun modello che possa proseguire questa risposta. Aggiungine uno.",
  nothing_written:
    "In questa chat non si sta scrivendo alcuna risposta. Leggi la conversazione per vedere che cosa è stato detto.",
  other_assistant: "@{{handle}} ora è un altro assistente, perciò l’incarico è stato abbandonato.",
  own_attachments_only: "Si possono allegare solo file della cartella della chat stessa.",
  stopping: "Casella si sta chiudendo. Chiedi di nuovo quando sarà in esecuzione.",
  stays_here:
    "Questa chat ha letto una cartella che resta su questo computer, quindi {{model}}, che gira su un server, non può leggerla. Scegli un modello su questo computer.",
  tools_need_full_rights:
    "Questa chiave API ha diritti limitati e non può usare account collegati e server. Lasciali fuori da builtInTools.",
  too_long: "Questa chat è diventata troppo lunga. Iniziane una nuova.",
  too_many_answers: "Sono in corso {{count}} risposte. Aspetta che ne finisca una, oppure fermane una.",
  too_many_chats: "Ci sono già 100.000 chat. Prima eliminane qualcuna.",
})
