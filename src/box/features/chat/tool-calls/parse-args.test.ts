import { expect, it } from "vitest"
import { parseArgs } from "./engine-messages.ts"

it("parses an object and leaves everything else as the model wrote it", () => {
  expect(parseArgs('{"a":[1,{"b":"[[{"}]}')).toEqual({ a: [1, { b: "[[{" }] })
  for (const text of ["", "[1]", "null", '"a"', "{a:1}", '{"a":']) expect(parseArgs(text)).toBe(text)
  expect(parseArgs(`{"a":"${"x".repeat(300_000)}"}`)).toHaveLength(200_000)
})

// Catches arguments that a document made the model nest so deeply that the answer can't be stored.
it("leaves arguments that are nested too deeply as text", () => {
  const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`
  expect(parseArgs(nested(90))).toBeTypeOf("object")
  for (const depth of [101, 60_000]) expect(parseArgs(nested(depth))).toBe(nested(depth))
  expect(parseArgs(`{"a":"${"[".repeat(500)}\\"${"[".repeat(500)}"}`)).toBeTypeOf("object")
})
