/** One piece of a call's arguments: the text that is sent, and the bits of information in choosing it from the tool's own vocabulary. */
export interface ChosenPart {
  text: string
  /** Null if the tool has no vocabulary for it. */
  bits: number | null
  /** The value, if it is a number. */
  value?: number
}

type Schema = Record<string, unknown>

/** Maximum nesting depth that is examined. */
const maxDepth = 24
/** Bits revealed by the presence of a list or object in a list, and by an empty text. */
const bitCosts = { form: 2, empty: 1 }

/**
 * Splits arguments into texts, numbers, unknown names and choices from the tool's own vocabulary. The vocabulary consists of the values
 * listed in its schema, defaults, booleans, and integers with a minimum and maximum. Returns null if the arguments are nested too deeply.
 */
export function listChosenParts(args: unknown, parameters: Schema): ChosenPart[] | null {
  const parts: ChosenPart[] = []
  const add = (text: string, bits: number | null) => void parts.push({ text, bits })

  function walk(value: unknown, schemas: readonly Schema[], depth: number): boolean {
    if (depth > maxDepth) return false
    const bits = measureValueBits(value, schemas)
    if (typeof value === "string") add(value, bits ?? (value === "" ? bitCosts.empty : null))
    else if (typeof value === "number") parts.push({ text: String(value), bits, value })
    else if (typeof value === "boolean" || value === null) add("", bits ?? 1)
    else if (Array.isArray(value)) {
      const items = schemas.flatMap(({ items }) => alternatives(items, parameters))
      return value.every((item) => {
        // Nested lists could encode something by their shape alone.
        if (typeof item === "object" && item !== null) add("", bitCosts.form)
        return walk(item, items, depth + 1)
      })
    } else if (typeof value === "object" && value !== null) {
      const names = Object.keys(value)
      add("", measureOrderBits(names, schemas) + measurePresenceBits(names, schemas))
      return Object.entries(value).every(([name, inner]) => {
        const known = schemas.flatMap(({ properties }) =>
          isSchema(properties) && Object.hasOwn(properties, name)
            ? alternatives(properties[name], parameters)
            : [],
        )
        if (known.length === 0) add(name, null)
        return walk(inner, known, depth + 1)
      })
    }
    return true
  }
  return walk(args, alternatives(parameters, parameters), 0) ? parts : null
}

/**
 * Returns the bits of choosing one of the values listed in the schemas, including the choice to pass a value at all. Returns null if the
 * schemas don't list the value.
 */
function measureValueBits(value: unknown, schemas: readonly Schema[]): number | null {
  const listed = new Set(
    schemas.flatMap((schema) => [
      ...("const" in schema ? [schema["const"]] : asArray(schema["enum"])),
      ...("default" in schema ? [schema["default"]] : []),
    ]),
  )
  if (listed.has(value)) return Math.log2(listed.size + 1)
  if (typeof value !== "number" || !Number.isInteger(value)) return null
  const ranges = schemas.flatMap(({ minimum, maximum }) =>
    typeof minimum === "number" && typeof maximum === "number" && minimum <= value && value <= maximum
      ? [maximum - minimum + 1]
      : [],
  )
  return ranges.length === 0 ? null : Math.log2(Math.max(...ranges) + 1)
}

/**
 * Returns the bits of choosing which optional properties are present: one bit per optional property, or the names of those present,
 * whichever is less.
 */
function measurePresenceBits(names: readonly string[], schemas: readonly Schema[]): number {
  const optional = new Set(
    schemas.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])),
  )
  for (const { required } of schemas) for (const name of asArray(required)) optional.delete(String(name))
  const given = names.filter((name) => optional.has(name)).length
  return Math.min(optional.size, given * Math.log2(optional.size + 1))
}

/** Returns the bits of an order that differs from the schema's: n! orders are possible. */
function measureOrderBits(names: readonly string[], schemas: readonly Schema[]): number {
  const known = schemas.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : []))
  const places = names.map((name) => known.indexOf(name))
  const isGiven = places.every((place, index) => place >= (places[index - 1] ?? -1))
  return isGiven ? 0 : names.reduce((bits, _, index) => bits + Math.log2(index + 1), 0)
}

/** Returns a schema and all its alternatives. */
function alternatives(schema: unknown, root: Schema, found = new Set<Schema>()): Schema[] {
  if (!isSchema(schema) || found.has(schema)) return []
  found.add(schema)
  const { $ref } = schema
  const named = typeof $ref === "string" ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref) : null
  const definitions = root[named?.[1] ?? ""]
  if (isSchema(definitions)) alternatives(definitions[named?.[2] ?? ""], root, found)
  for (const name of ["anyOf", "oneOf", "allOf"])
    for (const other of asArray(schema[name])) alternatives(other, root, found)
  return [...found]
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
