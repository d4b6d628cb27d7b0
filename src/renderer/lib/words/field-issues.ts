import { AppError } from "../../../shared/contract/app-error.ts"
import type { FieldIssue } from "../../../shared/contract/errors.ts"
import { describeError } from "../box.ts"
import { inPageLanguage } from "./sentence.ts"

/** What a failed save says about each field; what belongs to none of them stands under `other`. */
export function issuesOf(error: unknown, fields: string[]): Record<string, string | undefined> {
  if (error === null || error === undefined) return {}
  const issues = fieldIssues(error).filter(({ field }) => fields.includes(field))
  if (issues.length === 0) return { other: describeError(error) }
  return Object.fromEntries(
    issues.map(({ field, message, sentence }) => [field, asSentence(inPageLanguage(message, sentence))]),
  )
}

/** What the box found in the fields of a body; nothing where it refused for another reason. */
export function fieldIssues(error: unknown): FieldIssue[] {
  const details = error instanceof AppError && Array.isArray(error.details) ? error.details : []
  return details.filter(isIssue)
}

const isIssue = (detail: unknown): detail is FieldIssue =>
  typeof detail === "object" && detail !== null && "field" in detail && "message" in detail

/** "must be from 1 to 50" reads as a sentence of its own under its field. */
export const asSentence = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1)
