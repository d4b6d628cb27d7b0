import { expect, test } from "vitest"
import { dropUnset } from "./drop-unset.ts"
import { toGrammarSchema } from "./json-schema.ts"

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

// Would catch: a tool that refuses a call because the grammar had to write what the model wanted to leave out.
test("nulls of optional properties are taken out again, at every depth, and no others", () => {
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

// Would catch: a model held to invent what it doesn't know, or not told what an optional argument means.
test("a grammar for calls lets optional properties be null, with their description", () => {
  expect(toGrammarSchema(schema, "nullable")).toMatchObject({
    properties: {
      city: { type: "string" },
      days: { description: "How many", oneOf: [{ type: "integer" }, { type: "null" }] },
    },
  })
  expect(toGrammarSchema(schema)).toMatchObject({ properties: { days: { type: "integer" } } })
})
