import type { completions as english } from "../../../../shared/sentences/completions.ts"
import { translation } from "../../translation.ts"

export const completions = translation<typeof english>()({
  invalid_field: "{{field}}: {{what}}.",
  not_an_object: "Il corpo deve essere un oggetto JSON.",
  unsupported_part: "{{field}}: {{what}}",
  history_too_long:
    "Il prompt è troppo lungo: la conversazione non entra in ciò che il modello può contenere. Togli i messaggi più vecchi, scegli un modello che contenga di più, o fai che ne contenga di più insieme.",
})
