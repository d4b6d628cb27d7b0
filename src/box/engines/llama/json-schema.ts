import type { GbnfJsonSchema } from "node-llama-cpp"

/**
 * Reduces a JSON Schema to what node-llama-cpp can turn into a grammar. What it has no word for is left free (any
 * JSON) or unchecked (patterns, ranges), as `findUnchecked` tells; properties are always generated, also those that are
 * not required.
 */
export function toGrammarSchema(schema: Record<string, unknown>): GbnfJsonSchema {
  const definitions = { ...asRecord(schema["definitions"]), ...asRecord(schema["$defs"]) }
  const reduced = reduce(schema)
  if (Object.keys(definitions).length === 0) return reduced as GbnfJsonSchema
  return {
    ...reduced,
    $defs: Object.fromEntries(
      Object.entries(definitions).map(([name, value]) => [name, reduce(asRecord(value))]),
    ),
  } as unknown as GbnfJsonSchema
}

/** Any JSON object. */
export const anyObject: Record<string, unknown> = { type: "object", additionalProperties: true }

function reduce(schema: Record<string, unknown>): Record<string, unknown> {
  const description = typeof schema["description"] === "string" ? { description: schema["description"] } : {}
  const reference = schema["$ref"]
  if (typeof reference === "string")
    return { ...description, $ref: reference.replace("#/definitions/", "#/$defs/") }
  if (isScalar(schema["const"])) return { ...description, const: schema["const"] }
  if (Array.isArray(schema["enum"]) && schema["enum"].every(isScalar))
    return { ...description, enum: schema["enum"] }
  const alternatives = schema["oneOf"] ?? schema["anyOf"]
  if (Array.isArray(alternatives))
    return { ...description, oneOf: alternatives.map((alternative) => reduce(asRecord(alternative))) }
  const { type } = schema
  if (Array.isArray(type))
    return { ...description, oneOf: type.map((each: unknown) => reduce({ ...schema, type: each })) }

  switch (type ?? inferType(schema)) {
    case "object":
      return { ...description, type: "object", ...objectParts(schema) }
    case "array":
      return { ...description, type: "array", ...arrayParts(schema) }
    case "string":
      return { ...description, type: "string", ...stringParts(schema) }
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return { ...description, type }
    case undefined:
    default:
      return { ...description, oneOf: anyJson }
  }
}

const anyJson = [
  anyObject,
  { type: "array" },
  { type: "string" },
  { type: "number" },
  { type: "boolean" },
  { type: "null" },
]

function objectParts(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = Object.entries(asRecord(schema["properties"]))
  const extra = schema["additionalProperties"]
  return {
    ...(properties.length === 0
      ? {}
      : {
          properties: Object.fromEntries(properties.map(([name, value]) => [name, reduce(asRecord(value))])),
        }),
    ...(typeof extra === "object" && extra !== null
      ? { additionalProperties: reduce(asRecord(extra)) }
      : { additionalProperties: extra === true || (extra === undefined && properties.length === 0) }),
  }
}

function arrayParts(schema: Record<string, unknown>): Record<string, unknown> {
  const { items, prefixItems, minItems, maxItems } = schema
  return {
    ...(items === undefined ? {} : { items: reduce(asRecord(items)) }),
    ...(Array.isArray(prefixItems) ? { prefixItems: prefixItems.map((item) => reduce(asRecord(item))) } : {}),
    ...(typeof minItems === "number" ? { minItems } : {}),
    ...(typeof maxItems === "number" ? { maxItems } : {}),
  }
}

function stringParts(schema: Record<string, unknown>): Record<string, unknown> {
  const { format, minLength, maxLength } = schema
  if (format === "date-time" || format === "time" || format === "date") return { format }
  return {
    ...(typeof minLength === "number" ? { minLength } : {}),
    ...(typeof maxLength === "number" ? { maxLength } : {}),
  }
}

function inferType(schema: Record<string, unknown>): string | undefined {
  if (schema["properties"] !== undefined) return "object"
  return schema["items"] === undefined ? undefined : "array"
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value)
}
