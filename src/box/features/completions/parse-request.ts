import type { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { toFieldIssue } from "../../../shared/contract/wrong.ts"

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
