import type { completions as english } from "../../../../shared/sentences/completions.ts"
import { translation } from "../../translation.ts"

export const completions = translation<typeof english>()({
  invalid_field: "{{field}}: {{what}}.",
  not_an_object: "Il corpo deve essere un oggetto JSON.",
})
