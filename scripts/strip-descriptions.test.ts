import { expect, test } from "vitest"
import { withoutDescriptions } from "./strip-descriptions.ts"

// Catches texts of the API reference in the built programs, and a schema that loses a field or what models read.
test("removes the texts of the API reference and nothing else", () => {
  const code = `
const A = z.object({
  description: z.string().describe("Text (with a parenthesis)."),
  inner: B.optional().describe(
    "Two lines.",
  ),
  forModels: z.int().meta({ description: "Kept." }),
}).meta({ id: "A", description: "A schema." })
const get = json({
  method: "get",
  summary: "Get",
  description: "More about it.",
  output: A,
})`
  const stripped = withoutDescriptions("contract.ts", code)
  expect(stripped.replaceAll(/\s+/g, " ").trim()).toBe(
    'const A = z.object({ description: z.string(), inner: B.optional() , forModels: z.int().meta({ description: "Kept." }), }).meta({ id: "A", }) const get = json({ method: "get", summary: "Get", output: A, })',
  )
  expect(stripped.split("\n")).toHaveLength(code.split("\n").length)
})
