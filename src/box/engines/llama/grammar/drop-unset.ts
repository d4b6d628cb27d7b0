import { asRecord, isRequired } from "./json-schema.ts"

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
