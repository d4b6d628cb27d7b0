import { getLlama, LlamaLogLevel } from "node-llama-cpp"
import { expect, test } from "vitest"
import { anyObject, toGrammarSchema } from "./json-schema.ts"

const string = { type: "string" }

test("keeps rules that a grammar can express, and leaves the rest unrestricted", () => {
  expect(
    toGrammarSchema({
      type: "object",
      required: ["a"],
      properties: {
        a: { type: ["string", "null"], description: "A." },
        b: { anyOf: [string, { type: "array", items: { $ref: "#/definitions/c" } }] },
        d: {},
        e: { type: "object" },
        f: { type: "string", pattern: "^x", maxLength: 5 },
        g: { const: 1 },
      },
      definitions: { c: { enum: ["x", 1, null] } },
    }),
  ).toMatchObject({
    type: "object",
    additionalProperties: false,
    properties: {
      a: { oneOf: [string, { type: "null" }], description: "A." },
      b: { oneOf: [string, { type: "array", items: { $ref: "#/$defs/c" } }] },
      d: { oneOf: expect.arrayContaining([anyObject, string]) as unknown },
      e: anyObject,
      f: { type: "string", maxLength: 5 },
      g: { const: 1 },
    },
    $defs: { c: { enum: ["x", 1, null] } },
  })
})

test("llama.cpp accepts the grammars, even of nonsensical schemas", async () => {
  const llama = await getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    logLevel: LlamaLogLevel.disabled,
  })
  const schemas: Record<string, unknown>[] = [
    anyObject,
    {},
    { type: "object", properties: { 'odd "name"\n': { enum: ['a"b', "ü"] } } },
    { type: "object", properties: "nonsense", additionalProperties: { type: "integer" } },
    { type: "array", minItems: 1, maxItems: 3, prefixItems: [string] },
    {
      type: "object",
      properties: { self: { $ref: "#/$defs/node" } },
      $defs: {
        node: {
          type: "object",
          properties: { next: { oneOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
        },
      },
    },
    { oneOf: [{ type: "string", format: "date-time" }, { type: "wrong" }] },
  ]
  for (const schema of schemas)
    await expect(
      llama.createGrammarForJsonSchema(toGrammarSchema(schema) as typeof string & { type: "string" }),
    ).resolves.toBeDefined()
  await llama.dispose()
})
