/** Detects the parts of a JSON Schema that a grammar of `toGrammarSchema` can't guarantee. */

type Schema = Record<string, unknown>

/** Keywords that only inform people and don't restrict the value. */
const annotations = [
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
]
const wordsOfType = new Map<unknown, string[]>([
  ["object", ["properties", "required", "additionalProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems"]],
  ["string", ["minLength", "maxLength", "format"]],
])
const formats = new Set<unknown>(["date-time", "date", "time"])

/** Returns the first part of a schema that a grammar would silently leave unchecked; null if it checks everything. */
export function findUnchecked(schema: unknown): string | null {
  if (schema === true) return null
  if (!isSchema(schema)) return "a part that is no schema"
  const checked = new Set([...annotations, ...checkedWords(schema)])
  const unchecked = Object.keys(schema).find((word) => !checked.has(word) && !isWideBound(word, schema[word]))
  if (unchecked !== undefined) return `"${unchecked}"`
  const { format, minLength, maxLength, properties, required, minItems, maxItems } = schema
  if (format !== undefined && !formats.has(format)) return `the format ${JSON.stringify(format)}`
  if (format !== undefined && (minLength ?? maxLength) !== undefined) return "a length beside a format"
  if (typeof minItems === "number" && typeof maxItems === "number" && minItems > maxItems)
    return "minItems above maxItems"
  if (properties !== undefined && !isSchema(properties)) return '"properties" that are no object'
  const missing = asList(required).find((name) => !Object.hasOwn(asSchema(properties), String(name)))
  if (missing !== undefined)
    return `the required property ${JSON.stringify(missing)} that it doesn't describe`
  for (const part of getParts(schema)) {
    const found = findUnchecked(part)
    if (found !== null) return found
  }
  return null
}

/**
 * Whether a value of this schema, or of one of its definitions, could never be complete: a grammar always writes every property, so a
 * recursive definition needs a list or an alternative in order to end.
 */
export function isEndless(root: Schema): boolean {
  const definitions = Object.entries({ ...asSchema(root["definitions"]), ...asSchema(root["$defs"]) })
  const ending = new Set<string>()
  const ends = (value: unknown): boolean => {
    const schema = asSchema(value)
    if (typeof schema["$ref"] === "string") return ending.has(schema["$ref"].replace(/^.*\//, ""))
    const alternatives = schema["oneOf"] ?? schema["anyOf"]
    if (Array.isArray(alternatives)) return alternatives.some(ends)
    if (asList(schema["type"]).some((type) => type !== "object" && type !== "array")) return true
    const items = typeof schema["minItems"] === "number" && schema["minItems"] > 0 ? [schema["items"]] : []
    return [
      ...Object.values(asSchema(schema["properties"])),
      ...asList(schema["prefixItems"]),
      ...items,
    ].every(ends)
  }
  for (let before = -1; before < ending.size;) {
    before = ending.size
    for (const [name, schema] of definitions) if (!ending.has(name) && ends(schema)) ending.add(name)
  }
  return ending.size < definitions.length || !ends(root)
}

/** Returns the keywords that `toGrammarSchema` converts into a grammar, depending on the rest of the schema. */
function checkedWords(schema: Schema): string[] {
  if (schema["$ref"] !== undefined) return ["$ref"]
  if (isScalar(schema["const"])) return ["const", "type"]
  if (Array.isArray(schema["enum"]) && schema["enum"].every(isScalar)) return ["enum", "type"]
  if (schema["oneOf"] !== undefined) return ["oneOf"]
  if (schema["anyOf"] !== undefined) return ["anyOf"]
  const { type } = schema
  if (type !== undefined) return ["type", ...asList(type).flatMap((each) => wordsOfType.get(each) ?? [])]
  if (schema["properties"] !== undefined) return wordsOfType.get("object") ?? []
  return schema["items"] === undefined ? [] : (wordsOfType.get("array") ?? [])
}

/** Matches the bounds that schema generators write for every integer. */
function isWideBound(word: string, value: unknown): boolean {
  if (word === "minimum") return typeof value === "number" && value <= Number.MIN_SAFE_INTEGER
  return word === "maximum" && typeof value === "number" && value >= Number.MAX_SAFE_INTEGER
}

function getParts(schema: Schema): unknown[] {
  const { items, additionalProperties } = schema
  return [
    ...["properties", "$defs", "definitions"].flatMap((word) => Object.values(asSchema(schema[word]))),
    ...["prefixItems", "oneOf", "anyOf"].flatMap((word) => asList(schema[word])),
    ...(items === undefined ? [] : [items]),
    ...(additionalProperties === undefined || additionalProperties === false ? [] : [additionalProperties]),
  ]
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {})

/** The items of a list, or a single value as a list of one. */
function asList(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? (value as unknown[]) : [value]
}

function isScalar(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value)
}
