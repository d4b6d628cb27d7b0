/** One piece of a call's arguments: what is sent, and how many bits the tool's own vocabulary gives to choosing it. */
export interface ChosenPart {
  text: string
  /** null: the tool has no vocabulary for it. */
  bits: number | null
  /** Of a number. */
  value?: number
}

type Schema = Record<string, unknown>

/** What is nested deeper isn't looked into. */
const deepest = 24
/** What a list or object in a list tells by being there, and an empty text. */
const bitsOf = { form: 2, empty: 1 }

/**
 * Takes arguments apart: each text, number and unknown name, and what was chosen of the tool's own vocabulary, which is
 * the values that its schema lists, defaults, booleans, and whole numbers between two bounds. null: nested too deep.
 */
export function chosenParts(args: unknown, parameters: Schema): ChosenPart[] | null {
  const parts: ChosenPart[] = []
  const add = (text: string, bits: number | null) => void parts.push({ text, bits })

  function walk(value: unknown, schemas: readonly Schema[], depth: number): boolean {
    if (depth > deepest) return false
    const bits = bitsOfValue(value, schemas)
    if (typeof value === "string") add(value, bits ?? (value === "" ? bitsOf.empty : null))
    else if (typeof value === "number") parts.push({ text: String(value), bits, value })
    else if (typeof value === "boolean" || value === null) add("", bits ?? 1)
    else if (Array.isArray(value)) {
      const items = schemas.flatMap(({ items }) => alternatives(items, parameters))
      return value.every((item) => {
        // Lists in lists could tell something by their form alone.
        if (typeof item === "object" && item !== null) add("", bitsOf.form)
        return walk(item, items, depth + 1)
      })
    } else if (typeof value === "object" && value !== null) {
      const names = Object.keys(value)
      add("", bitsOfOrder(names, schemas) + bitsOfPresence(names, schemas))
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

/** Bits of choosing a value of those that the schemas list, and of choosing to name it at all; null: they don't. */
function bitsOfValue(value: unknown, schemas: readonly Schema[]): number | null {
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

/** Bits of which optional properties are there: one for each that there may be, or the name of each that is. */
function bitsOfPresence(names: readonly string[], schemas: readonly Schema[]): number {
  const optional = new Set(
    schemas.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])),
  )
  for (const { required } of schemas) for (const name of asArray(required)) optional.delete(String(name))
  const given = names.filter((name) => optional.has(name)).length
  return Math.min(optional.size, given * Math.log2(optional.size + 1))
}

/** Bits of an order that isn't the schema's: there are n! of them. */
function bitsOfOrder(names: readonly string[], schemas: readonly Schema[]): number {
  const known = schemas.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : []))
  const places = names.map((name) => known.indexOf(name))
  const isGiven = places.every((place, index) => place >= (places[index - 1] ?? -1))
  return isGiven ? 0 : names.reduce((bits, _, index) => bits + Math.log2(index + 1), 0)
}

/** A schema and all that it says may stand in its place. */
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
