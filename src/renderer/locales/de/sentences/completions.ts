import type { completions as english } from "../../../../shared/sentences/completions.ts"
import { translation } from "../../translation.ts"

export const completions = translation<typeof english>()({
  invalid_field: "{{field}}: {{what}}.",
  not_an_object: "Der Inhalt muss ein JSON-Objekt sein.",
  unsupported_part: "{{field}}: {{what}}",
  history_too_long:
    "Der Prompt ist zu lang: Der Chat passt nicht in das Kontextfenster des Modells. Lassen Sie ältere Nachrichten weg, wählen Sie ein anderes Modell, oder vergrößern Sie das Kontextfenster.",
})
