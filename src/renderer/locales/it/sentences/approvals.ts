import type { approvals as english } from "../../../../shared/sentences/approvals.ts"
import { translation } from "../../translation.ts"

export const approvals = translation<typeof english>()({
  address_after_private:
    "È stato letto qualcosa di privato e non hai indicato tu questo indirizzo: {{address}}",
  address_in_order:
    "È stato letto qualcosa di privato, perciò gli indirizzi che hai indicato si aprono una volta sola, nel loro ordine: {{address}}",
  address_of_nobody: "Né tu né ciò che è stato trovato avete indicato questo indirizzo: {{address}}",
  before_any_tool: "Questo assistente chiede prima di usare qualsiasi strumento.",
  changes_something: "Modifica qualcosa in modo duraturo.",
  file: "il file «{{name}}»",
  instructions_of: "le istruzioni di «{{name}}»",
  imported_message: "un messaggio importato",
  quoted: "ciò che ha avviato l'automazione",
  message_of_others: "un messaggio che non ha scritto Casella",
  page: "la pagina {{address}}",
  remembered: "ciò che viene ricordato di te",
  result_of: "un risultato di {{tool}}",
  says_more: "Dice più di quanto hai detto tu ed è stato letto qualcosa di privato.",
  word_from: "«{{word}}» viene da: {{origin}}. Così uscirebbe da qui.",
  word_not_said: "«{{word}}» non l’hai detto tu ed è stato letto qualcosa di privato. Così uscirebbe da qui.",
  word_too_often:
    "«{{word}}» compare molte più volte di quante l’hai detto ed è stato letto qualcosa di privato.",
  word_written_otherwise:
    "«{{word}}» non è scritto come l’hai scritto tu ed è stato letto qualcosa di privato.",
})
