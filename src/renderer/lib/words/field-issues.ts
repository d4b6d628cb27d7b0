import { AppError } from "../../../shared/contract/app-error.ts"
import type { FieldIssue } from "../../../shared/contract/errors.ts"
import { describeError } from "../box.ts"
import { toPageLanguage } from "./sentence.ts"

/** Returns a failed save's messages by field; any that belong to none of the fields are under `other`. */
export function getIssues(error: unknown, fields: string[]): Record<string, string | undefined> {
  if (error === null || error === undefined) return {}
  const issues = fieldIssues(error).filter(({ field }) => fields.includes(field))
  if (issues.length === 0) return { other: describeError(error) }
  return Object.fromEntries(
    issues.map(({ field, message, sentence }) => [field, capitaliseFirst(toPageLanguage(message, sentence))]),
  )
}

/** Returns the issues that the box found in the fields of a body; empty if it refused for another reason. */
export function fieldIssues(error: unknown): FieldIssue[] {
  const details = error instanceof AppError && Array.isArray(error.details) ? error.details : []
  return details.filter(isIssue)
}

const isIssue = (detail: unknown): detail is FieldIssue =>
  typeof detail === "object" && detail !== null && "field" in detail && "message" in detail

/** Capitalises "must be from 1 to 50", so that it reads as a sentence under its field. */
export const capitaliseFirst = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1)
