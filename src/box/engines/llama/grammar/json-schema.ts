import type { GbnfJsonSchema } from "node-llama-cpp"

/**
 * How properties that aren't required are handled, because a grammar always writes all of them: they are written like the others, or may be
 * null, which `dropUnset` removes again.
 */
export type OptionalProperties = "written" | "nullable"

interface Rules {
  optional: OptionalProperties
  highest: number
}

/**
 * Reduces a JSON Schema to what node-llama-cpp can convert into a grammar. Other parts are left unrestricted (any JSON) or unchecked
 * (patterns, ranges), as `findUnchecked` reports.
 *
 * @param highest upper bounds of texts and lists above this value are omitted
 */
export function toGrammarSchema(
  schema: Record<string, unknown>,
  optional: OptionalProperties = "written",
  highest = Infinity,
): GbnfJsonSchema {
  const rules = { optional, highest }
  const definitions = { ...asRecord(schema["definitions"]), ...asRecord(schema["$defs"]) }
  const reduced = reduce(schema, rules)
  if (Object.keys(definitions).length === 0) return reduced as GbnfJsonSchema
  return {
    ...reduced,
    $defs: Object.fromEntries(
      Object.entries(definitions).map(([name, value]) => [name, reduce(asRecord(value), rules)]),
    ),
  } as unknown as GbnfJsonSchema
}

/** Any JSON object. */
export const anyObject: Record<string, unknown> = { type: "object", additionalProperties: true }

function reduce(schema: Record<string, unknown>, rules: Rules): Record<string, unknown> {
  const description = typeof schema["description"] === "string" ? { description: schema["description"] } : {}
  const reference = schema["$ref"]
  if (typeof reference === "string")
    return { ...description, $ref: reference.replace("#/definitions/", "#/$defs/") }
  if (isScalar(schema["const"])) return { ...description, const: schema["const"] }
  if (Array.isArray(schema["enum"]) && schema["enum"].every(isScalar))
    return { ...description, enum: schema["enum"] }
  const alternatives = schema["oneOf"] ?? schema["anyOf"]
  if (Array.isArray(alternatives))
    return {
      ...description,
      oneOf: alternatives.map((alternative) => reduce(asRecord(alternative), rules)),
    }
  const { type } = schema
  if (Array.isArray(type))
    return { ...description, oneOf: type.map((each: unknown) => reduce({ ...schema, type: each }, rules)) }

  switch (type ?? inferType(schema)) {
    case "object":
      return { ...description, type: "object", ...objectParts(schema, rules) }
    case "array":
      return { ...description, type: "array", ...arrayParts(schema, rules) }
    case "string":
      return { ...description, type: "string", ...stringParts(schema, rules) }
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

function objectParts(schema: Record<string, unknown>, rules: Rules): Record<string, unknown> {
  const properties = Object.entries(asRecord(schema["properties"]))
  const extra = schema["additionalProperties"]
  return {
    ...(properties.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            properties.map(([name, value]) => {
              const reduced = reduce(asRecord(value), rules)
              const isFree = rules.optional === "nullable" && !isRequired(schema, name)
              return [name, isFree ? orNull(reduced) : reduced]
            }),
          ),
        }),
    ...(typeof extra === "object" && extra !== null
      ? { additionalProperties: reduce(asRecord(extra), rules) }
      : { additionalProperties: extra === true || (extra === undefined && properties.length === 0) }),
  }
}

function orNull({ description, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return { ...(description === undefined ? {} : { description }), oneOf: [schema, { type: "null" }] }
}

function arrayParts(schema: Record<string, unknown>, rules: Rules): Record<string, unknown> {
  const { items, prefixItems, minItems, maxItems } = schema
  return {
    ...(items === undefined ? {} : { items: reduce(asRecord(items), rules) }),
    ...(Array.isArray(prefixItems)
      ? { prefixItems: prefixItems.map((item) => reduce(asRecord(item), rules)) }
      : {}),
    ...(typeof minItems === "number" ? { minItems } : {}),
    ...(isBound(maxItems, rules.highest) ? { maxItems } : {}),
  }
}

function stringParts(schema: Record<string, unknown>, { highest }: Rules): Record<string, unknown> {
  const { format, minLength, maxLength } = schema
  if (format === "date-time" || format === "time" || format === "date") return { format }
  return {
    ...(typeof minLength === "number" ? { minLength } : {}),
    ...(isBound(maxLength, highest) ? { maxLength } : {}),
  }
}

const isBound = (value: unknown, highest: number): value is number =>
  typeof value === "number" && value <= highest

function inferType(schema: Record<string, unknown>): string | undefined {
  if (schema["properties"] !== undefined) return "object"
  return schema["items"] === undefined ? undefined : "array"
}

/** A schema that requires nothing is satisfied by omitting everything. */
export function isRequired(schema: Record<string, unknown>, property: string): boolean {
  return Array.isArray(schema["required"]) && schema["required"].includes(property)
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value)
}
