import { createHash } from "node:crypto"
import { z } from "zod"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { findSchemaFault } from "../../engines/schema-fault.ts"
import { hashTool } from "./tool-hash.ts"

/** Maximum length of a function name that engines accept. */
const maxLength = 64
const hashLength = 8

/**
 * Returns the name that models use for a server's tool: `<key>_<name>`. Keys contain no `_` after their prefix, so no two servers of a user
 * share a name. If characters had to be removed, a hash of the original keeps tools distinct.
 */
export function functionName(key: string, name: string): string {
  const whole = `${key}_${name}`
  const plain = whole.replace(/[^A-Za-z0-9_-]/g, "_")
  if (plain === whole && plain.length <= maxLength) return plain
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, hashLength)
  return `${plain.slice(0, maxLength - hashLength - 1)}_${hash}`
}

/** A server's tool, as shown to models. */
export interface Definition {
  /** The server's name for the tool. */
  name: string
  /** The name that models use. */
  functionName: string
  description: string
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>
  /** Hash of all the fields above; an approval applies to exactly this hash. */
  hash: string
}

export interface Refused {
  name: string
  reason: string
  sentence?: SentenceBody | undefined
}

/** A server's tools, without those that the box rejects. */
export interface Offer {
  definitions: Definition[]
  refused: Refused[]
}

const limits = { tools: 128, refused: 20, description: 1000, parameters: 20_000 }

const RawTool = z.object({
  name: z.string().min(1).max(200),
  description: z.string().nullish(),
  inputSchema: z.record(z.string(), z.unknown()),
})

/** People can't see these characters but models read them: soft hyphens, direction marks, tags. */
const invisible = /[\p{Cf}\p{Co}\p{Cs}]/gu
// oxlint-disable-next-line no-control-regex -- neither are these, but tabs and ends of lines
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Reads a server's tool definitions, none of which is trusted. Accepts at most 128 tools, short descriptions, and schemas that an engine
 * can enforce. Ignores annotations such as `readOnlyHint`.
 */
export function readOffer(key: string, tools: readonly unknown[]): Offer {
  const definitions = new Map<string, Definition>()
  const refused: Refused[] = []
  for (const tool of tools) {
    const read = readTool(key, tool)
    const reason = "reason" in read ? read.reason : findObstacle(definitions, read)
    if (reason === null) definitions.set(read.name, read as Definition)
    else if (refused.length < limits.refused)
      refused.push({ name: read.name, reason: reason.text, ...reason.field })
  }
  return { definitions: [...definitions.values()], refused }
}

function findObstacle(taken: ReadonlyMap<string, Definition>, { name }: { name: string }): Sentence | null {
  if (taken.has(name)) return sentence("integrations.two_of_name")
  return taken.size >= limits.tools ? sentence("integrations.only_the_first", { count: limits.tools }) : null
}

/** A tool that was rejected. */
interface Refusal {
  name: string
  reason: Sentence
}

function readTool(key: string, tool: unknown): Definition | Refusal {
  const parsed = RawTool.safeParse(tool)
  if (!parsed.success) return { name: getName(tool), reason: sentence("integrations.not_described") }
  const { inputSchema } = parsed.data
  const name = parsed.data.name
  if (clean(name) !== name) return { name: clean(name), reason: sentence("integrations.invisible_name") }
  const text = JSON.stringify(inputSchema)
  if (text.length > limits.parameters)
    return { name, reason: sentence("integrations.schema_too_long", { count: limits.parameters }) }
  const parameters = JSON.parse(clean(text)) as Record<string, unknown>
  delete parameters["$schema"]
  if (parameters["type"] !== "object") return { name, reason: sentence("integrations.arguments_not_object") }
  const fault = findSchemaFault(parameters)
  if (fault !== null) return { name, reason: sentence("integrations.schema_fault", { fault }) }
  const shown = {
    name,
    functionName: functionName(key, name),
    description: cut(clean(parsed.data.description ?? "").trim()),
    parameters,
  }
  return { ...shown, hash: hashTool(shown) }
}

const clean = (text: string) => text.replace(invisible, "").replace(control, " ")

const cut = (text: string) =>
  text.length <= limits.description ? text : `${text.slice(0, limits.description - 1)}…`.toWellFormed()

function getName(tool: unknown): string {
  const name = typeof tool === "object" && tool !== null && "name" in tool ? tool.name : null
  return typeof name === "string" ? clean(name).slice(0, 200) : "?"
}
