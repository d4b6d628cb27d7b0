import type { GbnfJsonSchema } from "node-llama-cpp"

/**
 * How properties that aren't required are handled, because a grammar always writes all of them: they are written like the others, or may be
 * null, which `dropUnset` removes again.
 */
type OptionalProperties = "written" | "nullable"

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
function isRequired(schema: Record<string, unknown>, property: string): boolean {
  return Array.isArray(schema["required"]) && schema["required"].includes(property)
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value)
}

type Schema = Record<string, unknown>

/**
 * Returns a value without the properties that are null only because a grammar with "nullable" optional properties had to write them: their
 * schema neither requires them nor allows null.
 */
export function dropUnset(value: unknown, schema: Schema, root: Schema = schema): unknown {
  const followed = follow(schema, root)
  if (Array.isArray(value)) {
    const { prefixItems, items } = followed
    return value.map((item, index) =>
      dropUnset(item, asRecord(Array.isArray(prefixItems) ? (prefixItems[index] ?? items) : items), root),
    )
  }
  if (typeof value !== "object" || value === null) return value
  const fitting = getAlternatives(followed)
    .map((each) => follow(each, root))
    .find((each) => Object.keys(value).every((name) => name in asRecord(each["properties"])))
  const own = fitting ?? followed
  const properties = asRecord(own["properties"])
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, part]) =>
          part !== null ||
          !(name in properties) ||
          isRequired(own, name) ||
          takesNull(asRecord(properties[name]), root),
      )
      .map(([name, part]) => [name, dropUnset(part, asRecord(properties[name]), root)]),
  )
}

function follow(schema: Schema, root: Schema): Schema {
  const reference = schema["$ref"]
  if (typeof reference !== "string") return schema
  const name = reference.replace(/^.*\//, "")
  return asRecord({ ...asRecord(root["definitions"]), ...asRecord(root["$defs"]) }[name])
}

function getAlternatives(schema: Schema): Schema[] {
  const alternatives = schema["oneOf"] ?? schema["anyOf"]
  return Array.isArray(alternatives) ? alternatives.map(asRecord) : []
}

function takesNull(schema: Schema, root: Schema): boolean {
  const { type, enum: values, const: value } = follow(schema, root)
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true
  if (value === null || (Array.isArray(values) && values.includes(null))) return true
  return getAlternatives(schema).some((each) => each["type"] === "null")
}
