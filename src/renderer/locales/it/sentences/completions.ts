import type { completions as english } from "../../../../shared/sentences/completions.ts"
import { translation } from "../../translation.ts"

export const completions = translation<typeof english>()({
  invalid_field: "{{field}}: {{what}}.",
  not_an_object: "Il corpo deve essere un oggetto JSON.",
  unsupported_part: "{{field}}: {{what}}",
  history_too_long:
    "Il prompt è troppo lungo: la chat non entra nella finestra di contesto del modello. Togli i messaggi più vecchi, o scegli un modello con una finestra di contesto più grande.",
})
