import type { support as english } from "../../../../shared/sentences/support.ts"
import { translation } from "../../translation.ts"

export const support = translation<typeof english>()({
  answered_status: "Il servizio di assistenza ha risposto con lo stato {{status}}.",
  being_sent: "Questa segnalazione sta partendo proprio ora. Riprova.",
  check_address: "{{what}} Controlla l’indirizzo dato a Casella con --auth-url.",
  connection_broke: "La connessione con il servizio di assistenza si è interrotta prima che rispondesse.",
  key_limited: "Questa chiave non può creare segnalazioni. Usane una con il permesso tickets.create.",
  key_not_accepted: "Il servizio non accetta più la chiave. Accedi di nuovo.",
  key_of_box: "Questa è una chiave di questo Casella. Incolla invece una chiave del cloud.",
  key_refused: "Il servizio non accetta questa chiave: è sbagliata, scaduta o disattivata.",
  key_without_tickets:
    "La chiave non può creare segnalazioni. Accedi di nuovo, o usane una con tickets.create.",
  no_service: "Casella è stato avviato senza --auth-url: non c’è nulla a cui accedere.",
  none_such: "Questa segnalazione non esiste.",
  report_too_large: "La segnalazione è troppo grande. Togli l’allegato o la schermata.",
  sent_already:
    "Questa segnalazione è stata inviata, o potrebbe esserlo stata, quindi non si può più modificare.",
  too_many_wait: "Ci sono già {{count}} segnalazioni in attesa: prima inviane o eliminane qualcuna.",
  try_later: "{{what}} Riprova più tardi.",
  unknown_answer: "Il servizio di assistenza ha risposto qualcosa che Casella non conosce.",
  unreachable: "Il servizio di assistenza non è raggiungibile.",
})
