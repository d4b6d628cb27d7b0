import { expect, test } from "vitest"
import { translation } from "./translation.ts"

// Catches types that let a translation omit a sentence, or use values that it doesn't have. Each marked line fails to compile; if it
// compiled, the mark itself would be an error.
test("compiles a translation only with every sentence and its values", () => {
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
