import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { toFieldIssue } from "../../../shared/contract/wrong.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { findSchemaFault } from "../../engines/schema-fault.ts"

/** Validates a body. Errors name the parameter as OpenAI does, such as `messages[0].content`. */
export function parseRequest<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("validation", sentence("completions.not_an_object"))
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => toFieldIssue(parameterName(issue.path), issue))
  const first = issues[0] ?? { field: "", message: "isn't valid" }
  throw new AppError(
    "validation",
    sentence("completions.invalid_field", { field: first.field, what: first.message }),
    { details: issues },
  )
}

/** Returns OpenAI's name for a path in a request: `messages[0].content`. */
export function parameterName(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "")
}

export const FunctionName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")

type Path = (string | number)[]

interface OfferedTool {
  name: string
  schema: Record<string, unknown> | null | undefined
  strict?: boolean | null | undefined
  path: Path
}

/** The fields that cross-field checks need, independent of the request format. */
export interface CheckedTools {
  /** The offered functions, each with the path of its schema. */
  tools: readonly OfferedTool[]
  /** The function that must be called, if one is named. */
  named: string | null
  /** Whether the request contains a choice among functions, even if none may be called. */
  chooses: boolean
  /** The schema that the answer must follow. */
  format: { schema: Record<string, unknown> | null | undefined; path: Path } | null
}

/** Reports errors in the functions and schemas of a request: names, choice, and unsupported schemas. */
export function checkTools(
  { tools, named, chooses, format }: CheckedTools,
  refuse: (path: Path, message: string) => void,
): void {
  const names = new Set(tools.map(({ name }) => name))
  if (names.size < tools.length) refuse(["tools"], "two tools have the same name")
  if (chooses && tools.length === 0) refuse(["tool_choice"], "is only allowed with tools")
  else if (named !== null && !names.has(named)) {
    refuse(["tool_choice"], "names a function that isn't among the tools")
  }
  for (const { schema, strict, path } of [...(format ? [{ ...format, strict: true }] : []), ...tools]) {
    const fault = schema ? findSchemaFault(schema, strict === true) : null
    if (fault !== null) refuse(path, fault)
  }
}

/** A function call in a chat, or a result with its path in the request. */
export type CallOrResult = { call: string } | { result: string; path: Path }

/** Returns the paths of results without an earlier call. */
export function unansweredResults(entries: readonly CallOrResult[]): Path[] {
  const calls = new Set<string>()
  const wrong: Path[] = []
  for (const entry of entries) {
    if ("call" in entry) calls.add(entry.call)
    else if (!calls.has(entry.result)) wrong.push(entry.path)
  }
  return wrong
}
