import type { support as english } from "../../../../shared/sentences/support.ts"
import { translation } from "../../translation.ts"

export const support = translation<typeof english>()({
  answered_status: "Il servizio di assistenza ha restituito lo stato {{status}}.",
  being_sent: "Questa segnalazione sta partendo proprio ora. Riprova.",
  check_address: "{{what}} Controlla l’indirizzo con cui è stata avviata Casella (--auth-url).",
  connection_broke: "La connessione con il servizio di assistenza si è interrotta prima che rispondesse.",
  key_limited: "Questa chiave non può creare segnalazioni. Usane una con il permesso tickets.create.",
  key_not_accepted: "Il servizio non accetta più la chiave. Accedi di nuovo.",
  key_of_box: "Questa è una chiave API di questa Casella. Incolla invece una chiave cloud.",
  key_refused: "Il servizio non accetta questa chiave: è sbagliata, scaduta o disattivata.",
  key_without_tickets:
    "La chiave non può creare segnalazioni. Accedi di nuovo, o usane una con tickets.create.",
  no_service:
    "Casella è stata avviata senza --auth-url, quindi non c’è un servizio di assistenza a cui accedere.",
  none_such: "Segnalazione non trovata. Forse è stata rimossa.",
  report_too_large: "La segnalazione è troppo grande. Rimuovi l’allegato o la schermata.",
  sent_already:
    "Questa segnalazione è stata inviata, o potrebbe esserlo stata, quindi non si può più modificare.",
  too_many_wait: "Ci sono già {{count, number}} segnalazioni in attesa. Prima inviane o rimuovine qualcuna.",
  try_later: "{{what}} Riprova più tardi.",
  unknown_answer: "Il servizio di assistenza ha dato una risposta sconosciuta.",
  unreachable: "Il servizio di assistenza non è raggiungibile.",
})
