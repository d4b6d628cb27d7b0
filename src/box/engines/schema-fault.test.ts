import { expect, it } from "vitest"
import { findSchemaFault } from "./schema-fault.ts"

const nested = (depth: number): Record<string, unknown> =>
  depth === 0 ? { type: "string" } : { type: "object", properties: { inner: nested(depth - 1) } }
const texts = (count: number, maxLength: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { maxLength }])),
})

// Catches a schema that is silently ignored, or that stalls the engine for everyone.
it.each([
  [{ type: "banana" }, "unknown type"],
  [{ type: ["string", "fruit"] }, "unknown type"],
  [{ $ref: "#" }, "$ref"],
  [{ $ref: "#/$defs/missing", $defs: {} }, "$ref"],
  [{ anyOf: [] }, "anyOf"],
  [{ oneOf: "text" }, "oneOf"],
  [{ enum: [] }, "enum"],
  [{ enum: Array.from({ length: 1_001 }, (_, index) => index) }, "enum"],
  [{ type: "array", prefixItems: Array.from({ length: 501 }, () => ({ enum: [1, 2] })) }, "enum"],
  [{ type: "array", minItems: 1e9 }, "minItems"],
  [{ type: "string", maxLength: -1 }, "maxLength"],
  [{ type: "object", properties: { deep: { items: { type: "nothing" } } } }, "unknown type"],
  [{ type: "string", maxLength: 1.5 }, "maxLength"],
  [{ type: "string", minLength: 2_001, maxLength: 4_000 }, "minLength"],
  [texts(101, 500), "50000 characters"],
  [nested(33), "nested deeper"],
  [nested(3_000), "nested deeper"],
  [{ properties: Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`p${i}`, {}])) }, "parts"],
])("refuses %#", (schema, fault) => expect(findSchemaFault(schema)).toContain(fault))

it.each([
  [{}],
  [nested(32)],
  [{ type: ["string", "null"], description: "d" }],
  [{ type: "object", properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { enum: [1, "x", null] } } }],
  [{ type: "array", items: { anyOf: [{ type: "number" }, { const: 1 }] }, minItems: 1, maxItems: 10 }],
  // Schema of a tool that Claude Code sends by default.
  [{ type: "object", properties: { script: { type: "string", maxLength: 524_288 } } }],
  [texts(1_000, 1_000)],
])("accepts %#", (schema) => expect(findSchemaFault(schema)).toBeNull())

// Catches a bound that is promised although no grammar can count to it.
it("refuses bounds that can't be enforced when they must be", () => {
  expect(findSchemaFault({ type: "string", maxLength: 2_001 }, true)).toContain("maxLength")
  expect(findSchemaFault({ type: "string", maxLength: 1_000 }, true)).toBeNull()
  expect(findSchemaFault(texts(51, 1_000), true)).toContain("50000 characters")
})
