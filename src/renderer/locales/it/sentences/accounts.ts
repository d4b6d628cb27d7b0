import type { accounts as english } from "../../../../shared/sentences/accounts.ts"
import { translation } from "../../translation.ts"

export const accounts = translation<typeof english>()({
  email_taken: "C’è già un utente con l’indirizzo e-mail {{email}}.",
  link_used: "Questo link di accesso è già stato usato o ha più di 5 minuti.",
  key_needed: "Per confermarla, inserisci l’intera chiave API. Se non ce l’hai, revocala e creane un’altra.",
  other_key:
    "Questa non è la chiave API che il backup ha portato con questo nome. Se non conosci quella chiave, revocala.",
  no_key: "Questa chiave API non esiste.",
  no_owner: "Non c’è un proprietario.",
  no_provider: "Qui si accede solo con i link monouso.",
  no_person: "Qui non c’è questa persona.",
  not_yourself: "Non puoi escludere te stesso. Può farlo un altro proprietario.",
  other_session: "In questo browser ha effettuato l’accesso qualcuno che non è {{name}}.",
  owner_needed:
    "Lo spazio di lavoro ha bisogno di un proprietario che possa accedere. Prima nominane un altro.",
  person_disabled: "Questa persona è disattivata. Prima riattivala.",
  ticket_for_session: "Serve solo alla sessione dell’app: invia la chiave con il download.",
  too_many_keys: "Ci sono già {{count}} chiavi API. Revocane una che non usi.",
  too_many_people: "Ci sono già {{count}} persone: non se ne possono aggiungere altre.",
  user_gone: "Questo utente non esiste più.",
})
