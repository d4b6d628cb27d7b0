import { describe, expect, test } from "vitest"
import { findUnchecked, isEndless } from "./schema-limits.ts"

const string = { type: "string" }
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })

// Catches a guarantee of the API that an answer silently violates.
describe("the unchecked part of a schema", () => {
  test.each([
    ['"pattern"', object({ a: { ...string, pattern: "^x" } })],
    ['"minimum"', { type: "array", items: { type: "integer", minimum: 1 } }],
    ['"uniqueItems"', { type: "array", uniqueItems: true }],
    ['"allOf"', { allOf: [string] }],
    ['"not"', { oneOf: [{ not: {} }] }],
    ['"anyOf"', { oneOf: [string], anyOf: [string] }],
    ['"properties"', { $ref: "#/$defs/a", properties: {}, $defs: { a: string } }],
    ['"const"', { const: { a: 1 } }],
    ['"enum"', { ...string, enum: [["a"]] }],
    ['"pattern"', { $ref: "#/$defs/a", $defs: { a: { ...string, pattern: "x" } } }],
    ["email", { ...string, format: "email" }],
    ["length", { ...string, format: "date", minLength: 3 }],
    ["minItems", { type: "array", minItems: 3, maxItems: 2 }],
    ["required", object({ a: string }, { required: ["a", "b"] })],
    ["no schema", object({ a: null })],
    ["no schema", { type: "array", items: false }],
    ["no object", { type: "object", properties: [] }],
  ])("%s: %j", (found, schema) => expect(findUnchecked(schema)).toContain(found))

  test.each([
    [{}],
    [object({ a: true, b: { enum: [1, "x", null], title: "B" } }, { required: ["a"], $schema: "x" })],
    [object({}, { additionalProperties: string })],
    [{ type: ["string", "null"], maxLength: 5, default: null }],
    [{ type: "array", prefixItems: [string], items: { anyOf: [string, { const: 1 }] }, minItems: 1 }],
    [{ type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }],
    [{ $ref: "#/$defs/a", $defs: { a: { ...string, format: "date-time" } } }],
  ])("is empty for %j", (schema) => expect(findUnchecked(schema)).toBeNull())
})

// Catches an answer that can end only at the token limit, as invalid JSON.
describe("an endless schema", () => {
  const self = { $ref: "#/$defs/a" }
  test.each([
    [object({ next: self })],
    [{ oneOf: [object({ next: self }), object({ other: self })] }],
    [{ type: "array", items: self, minItems: 1 }],
    [{ type: "array", prefixItems: [self] }],
    [self],
  ])("is detected: %j", (a) => {
    expect(isEndless({ ...self, $defs: { a } })).toBe(true)
    expect(isEndless({ oneOf: [self, { type: "null" }], $defs: { a } })).toBe(true)
  })

  test.each([
    [object({ next: { anyOf: [self, { type: "null" }] } })],
    [object({ children: { type: "array", items: self } })],
    [{ ...object({ next: self }), type: ["object", "null"] }],
    [string],
    [{}],
  ])("isn't reported for a schema that can end: %j", (a) =>
    expect(isEndless({ ...self, $defs: { a } })).toBe(false),
  )

  test("isn't reported for definitions in any order", () => {
    const $defs = { a: object({ b: { $ref: "#/definitions/b" } }), c: string }
    expect(isEndless({ ...self, $defs, definitions: { b: { $ref: "#/$defs/c" } } })).toBe(false)
  })
})
