import type { accounts as english } from "../../../../shared/sentences/accounts.ts"
import { translation } from "../../translation.ts"

export const accounts = translation<typeof english>()({
  email_taken: "Esiste già una persona con l’indirizzo e-mail {{email}}.",
  link_used: "Questo link di accesso è già stato usato o ha più di 5 minuti. Creane uno nuovo.",
  key_needed: "Per confermarla, inserisci l’intera chiave API. Se non ce l’hai, revocala e creane una nuova.",
  other_key:
    "Questa non è la chiave API che il backup ha con questo nome. Se non conosci quella chiave, revocala.",
  no_key: "Chiave API non trovata. Forse è stata revocata.",
  no_owner: "Non c’è alcun proprietario.",
  no_provider: "L’accesso con un provider non è configurato. Usa un link monouso.",
  no_person: "Persona non trovata.",
  not_yourself: "Non puoi disattivare il tuo account. Chiedi a un altro proprietario.",
  other_session: "In questo browser ha effettuato l’accesso una persona diversa da {{name}}.",
  owner_needed:
    "Lo spazio di lavoro ha bisogno di un proprietario che possa accedere. Prima rendi proprietaria un’altra persona.",
  person_disabled: "Questa persona è disattivata. Prima riattivala.",
  ticket_for_session: "Serve solo alla sessione dell’app. Invia invece la chiave API con il download.",
  too_many_keys: "Ci sono già {{count, number}} chiavi API, il massimo. Revocane una che non usi.",
  too_many_people: "Questa Casella ha già {{count, number}} persone, il massimo.",
  user_gone: "Questo utente non esiste più.",
})
