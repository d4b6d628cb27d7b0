import { expect, test } from "vitest"
import { translation } from "./translation.ts"

// Would catch: types that let a language leave out a sentence, or fill in what it doesn't have. Each line that is marked
// doesn't compile, and wouldn't need its mark if it did.
test("a language has each sentence, with its values, or it doesn't compile", () => {
  const italian = translation<{ gone: "Gone."; full: "{{name}} has {{count, number}}." }>()
  const full = "{{count, number}} per {{name}}."
  expect(italian({ gone: "Via.", full })).toEqual({ gone: "Via.", full })
  expect(italian({ gone: "Via.", full, full_one: "Uno per {{name}}: {{count, number}}." })).toBeDefined()
  // @ts-expect-error -- a sentence is missing
  italian({ full })
  // @ts-expect-error -- a value is missing
  italian({ gone: "Via.", full: "{{count, number}}." })
  // @ts-expect-error -- there is no such value
  italian({ gone: "Via: {{name}}.", full })
  // @ts-expect-error -- it is written otherwise
  italian({ gone: "Via.", full: "{{count}} per {{name}}." })
})
