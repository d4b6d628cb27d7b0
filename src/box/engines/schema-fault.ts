/** Limits for a schema that becomes a grammar: far above what people write, far below what would stall the engine. */
const limits = { depth: 32, schemas: 2_000, choices: 1_000, count: 2_000, repetitions: 50_000 }
/** Number of characters or items that a grammar can always count to. Between this and `limits.count` it depends on what is counted. */
export const safeRepetitions = 500

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"])
const lowest = ["minItems", "minLength"] as const
const highest = ["maxItems", "maxLength"] as const
const alternatives = ["anyOf", "oneOf"] as const

type Schema = Record<string, unknown>
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Returns why a JSON Schema is invalid or too large for any engine; null if it is neither. llama/schema-limits.ts lists the parts of a
 * valid schema that the local engine's grammar can't enforce.
 *
 * @param isPromised whether the answer must follow the whole schema. Otherwise grammars leave out maximum lengths of texts and
 * lists that they may be unable to count to, so any maximum is allowed: coding programs accept scripts of half a million characters.
 */
export function findSchemaFault(root: Schema, isPromised = false): string | null {
  const definitions = new Set(
    ["definitions", "$defs"].flatMap((key) => (isSchema(root[key]) ? Object.keys(root[key]) : [])),
  )
  const waiting: { schema: Schema; depth: number }[] = [{ schema: root, depth: 0 }]
  let choices = 0
  let repetitions = 0
  for (let seen = 0; ; seen++) {
    const next = waiting.pop()
    if (!next) return null
    if (seen >= limits.schemas) return `has more than ${limits.schemas} parts`
    if (next.depth > limits.depth) return `is nested deeper than ${limits.depth} levels`
    const fault = findOwnFault(next.schema, definitions, isPromised)
    if (fault !== null) return fault
    choices += getChoices(next.schema)
    if (choices > limits.choices) return `has more than ${limits.choices} enum values and alternatives`
    repetitions += getRepetitions(next.schema, isPromised ? limits.count : safeRepetitions)
    if (repetitions > limits.repetitions)
      return `bounds its texts and lists to more than ${limits.repetitions} characters and items together`
    for (const schema of getParts(next.schema)) waiting.push({ schema, depth: next.depth + 1 })
  }
}

function findOwnFault(schema: Schema, definitions: ReadonlySet<string>, isPromised: boolean): string | null {
  const { type, $ref: reference } = schema
  const unknown = (Array.isArray(type) ? type : [type ?? "object"]).find((each) => !types.has(each as string))
  if (unknown !== undefined) return `has the unknown type ${JSON.stringify(unknown)}`
  if (reference !== undefined) {
    const name =
      typeof reference === "string" ? /^#\/(?:definitions|\$defs)\/([^/]+)$/.exec(reference)?.[1] : null
    if (!name || !definitions.has(name)) return "has a $ref that isn't one of its own definitions"
  }
  for (const key of alternatives) {
    const list = schema[key]
    if (list !== undefined && (!Array.isArray(list) || list.length === 0 || !list.every(isSchema)))
      return `has a ${key} that isn't a list of schemas`
  }
  const choices = schema["enum"]
  if (choices !== undefined && (!Array.isArray(choices) || choices.length === 0)) return "has an empty enum"
  for (const key of [...lowest, ...highest]) {
    const bound = schema[key]
    const isFree = !isPromised && highest.some((name) => name === key)
    const isWhole = Number.isSafeInteger(bound) && Number(bound) >= 0
    if (bound !== undefined && !(isWhole && (isFree || Number(bound) <= limits.count)))
      return `has a ${key} that isn't a whole number from 0${isFree ? "" : ` to ${limits.count}`}`
  }
  return null
}

/** Returns the number that a grammar has to count to. Counting takes time and memory before the first token. */
function getRepetitions(schema: Schema, highestCounted: number): number {
  const counts = (key: string) => Number(schema[key] ?? 0)
  return Math.max(...lowest.map(counts), ...highest.map(counts).filter((bound) => bound <= highestCounted))
}

/** Returns the number of ways in which a value may continue at one point. Each costs time for every token. */
function getChoices(schema: Schema): number {
  return ["enum", ...alternatives].reduce((sum, key) => {
    const list = schema[key]
    return Array.isArray(list) ? sum + list.length : sum
  }, 0)
}

function getParts(schema: Schema): Schema[] {
  const maps = ["properties", "definitions", "$defs"].flatMap((key) =>
    isSchema(schema[key]) ? Object.values(schema[key]) : [],
  )
  const lists = [...alternatives, "prefixItems"].flatMap((key) =>
    Array.isArray(schema[key]) ? schema[key] : [],
  )
  return [...maps, ...lists, schema["items"], schema["additionalProperties"]].filter(isSchema)
}
