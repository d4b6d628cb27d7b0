import type { approvals as english } from "../../../../shared/sentences/approvals.ts"
import { translation } from "../../translation.ts"

export const approvals = translation<typeof english>()({
  address_after_private:
    "Questa chat ha letto contenuti privati, e non hai indicato tu questo indirizzo: {{address}}",
  address_in_order:
    "Questa chat ha letto contenuti privati, quindi ogni indirizzo che hai indicato viene aperto una volta sola, in ordine: {{address}}",
  address_of_nobody: "Questo indirizzo non viene né da te né dai risultati di ricerca: {{address}}",
  before_any_tool: "Questo assistente chiede prima di usare qualsiasi strumento.",
  changes_something: "Fa una modifica permanente.",
  file: "il file «{{name}}»",
  instructions_of: "le istruzioni di «{{name}}»",
  imported_message: "un messaggio importato",
  quoted: "ciò che ha avviato l’automazione",
  message_of_others: "un messaggio che non ha scritto Casella",
  page: "la pagina {{address}}",
  remembered: "un fatto salvato su di te",
  result_of: "un risultato di {{tool}}",
  says_more: "La richiesta contiene testo che non hai scritto tu, e questa chat ha letto contenuti privati.",
  word_from: "«{{word}}» viene da: {{origin}}. Verrebbe inviato a un altro computer.",
  word_not_said:
    "Non hai scritto tu «{{word}}», e questa chat ha letto contenuti privati. Verrebbe inviato a un altro computer.",
  word_too_often:
    "«{{word}}» compare molte più volte di quante l’hai scritto, e questa chat ha letto contenuti privati.",
  word_written_otherwise:
    "«{{word}}» è scritto diversamente da come l’hai scritto tu, e questa chat ha letto contenuti privati.",
})
