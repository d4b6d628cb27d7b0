import type { approvals as english } from "../../../../shared/sentences/approvals.ts"
import { translation } from "../../translation.ts"

export const approvals = translation<typeof english>()({
  address_after_private:
    "Es wurde Vertrauliches gelesen, und Sie haben diese Adresse nicht genannt: {{address}}",
  address_in_order:
    "Es wurde Vertrauliches gelesen, deshalb werden von Ihnen genannte Adressen einmal und der Reihe nach geöffnet: {{address}}",
  address_of_nobody: "Weder Sie noch die Fundstellen haben diese Adresse genannt: {{address}}",
  before_any_tool: "Dieser Assistent fragt vor jeder Verwendung eines Tools.",
  changes_something: "Dabei wird dauerhaft etwas geändert.",
  file: "die Datei „{{name}}“",
  instructions_of: "die Anweisungen von „{{name}}“",
  imported_message: "eine importierte Nachricht",
  quoted: "was die Automatisierung ausgelöst hat",
  message_of_others: "eine Nachricht, die nicht von Casella stammt",
  page: "die Seite {{address}}",
  remembered: "Gemerktes über Sie",
  result_of: "ein Ergebnis von {{tool}}",
  says_more: "Es enthält mehr, als Sie gesagt haben, und es wurde Vertrauliches gelesen.",
  word_from: "„{{word}}“ stammt aus: {{origin}}. Damit würde es nach außen gesendet.",
  word_not_said:
    "Sie haben „{{word}}“ nicht gesagt, und es wurde Vertrauliches gelesen. Damit würde es nach außen gesendet.",
  word_too_often:
    "„{{word}}“ kommt viel öfter vor, als Sie es gesagt haben, und es wurde Vertrauliches gelesen.",
  word_written_otherwise:
    "„{{word}}“ ist anders geschrieben als bei Ihnen, und es wurde Vertrauliches gelesen.",
})
