import { expect, test } from "vitest"
import { dropUnset, toGrammarSchema } from "./json-schema.ts"

const schema = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer", description: "How many" },
    unit: { type: ["string", "null"] },
    stops: { type: "array", items: { $ref: "#/$defs/stop" } },
    where: { anyOf: [{ type: "object", properties: { lat: { type: "number" } } }, { type: "string" }] },
  },
  required: ["city", "stops"],
  $defs: {
    stop: {
      type: "object",
      properties: { name: { type: "string" }, note: { type: "string" } },
      required: ["name"],
    },
  },
}

// Catches a tool that refuses a call because the grammar had to write a property that the model wanted to omit.
test("removes nulls of optional properties at every depth, and no others", () => {
  const written = {
    city: "Rome",
    days: null,
    unit: null,
    stops: [
      { name: "a", note: null },
      { name: "b", note: "c" },
    ],
    where: { lat: null },
    extra: null,
  }
  expect(dropUnset(written, schema)).toEqual({
    city: "Rome",
    unit: null,
    stops: [{ name: "a" }, { name: "b", note: "c" }],
    where: {},
    extra: null,
  })
  expect(dropUnset({ city: null }, schema)).toEqual({ city: null })
  expect(dropUnset("text", schema)).toBe("text")
})

// Catches a model that is forced to invent unknown values, or that doesn't receive the description of an optional argument.
test("allows null for optional properties in a grammar for calls, and keeps their description", () => {
  expect(toGrammarSchema(schema, "nullable")).toMatchObject({
    properties: {
      city: { type: "string" },
      days: { description: "How many", oneOf: [{ type: "integer" }, { type: "null" }] },
    },
  })
  expect(toGrammarSchema(schema)).toMatchObject({ properties: { days: { type: "integer" } } })
})
