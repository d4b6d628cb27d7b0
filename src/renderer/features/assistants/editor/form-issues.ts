import { t } from "i18next"
import { AppError } from "../../../../shared/contract/app-error.ts"
import { describeError } from "../../../lib/box.ts"
import { limits, type AssistantForm } from "./form.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { capitaliseFirst, fieldIssues } from "../../../lib/words/field-issues.ts"

const fields = [
  "name",
  "instructions",
  "vectorIds",
  "builtInTools",
  "handle",
  "description",
  "icon",
  "color",
  "customImage",
  "modelId",
  "suggestions",
  "permissionMode",
  "visibility",
] as const
export type IssueField = (typeof fields)[number]
export type FormIssues = Partial<Record<IssueField | "other", string>>

/** The errors of a refused save, by field. Errors that concern no field are under `other`. */
export function formIssues(error: unknown): FormIssues {
  if (error === undefined || error === null) return {}
  if (!(error instanceof AppError)) return { other: describeError(error) }
  if (error.code === "handle_taken") return { handle: t("assistants:handle.taken") }
  if (error.code === "forbidden") return { vectorIds: t("assistants:folders.refused") }
  const issues: FormIssues = {}
  for (const { field, message, sentence } of fieldIssues(error)) {
    const owner = fields.find((name) => field === name || field.startsWith(`${name}.`)) ?? "other"
    issues[owner] ??= capitaliseFirst(toPageLanguage(message, sentence))
  }
  return Object.keys(issues).length > 0 ? issues : { other: describeError(error) }
}

/** The first field with an issue, in page order. */
export const firstIssue = (issues: FormIssues): IssueField | undefined =>
  fields.find((field) => issues[field] !== undefined)

/** Issues that the page can detect before sending. Text that is too long stays as typed. */
export function findFormIssues(form: AssistantForm): FormIssues {
  const found: Record<string, string | undefined> = {
    name: form.name.trim() === "" ? t("assistants:name.missing") : lengthIssue(form.name.trim(), limits.name),
    instructions: lengthIssue(form.instructions, limits.instructions),
    handle: handleIssue(form.handle),
    description: lengthIssue(form.description, limits.description),
    suggestions: suggestionsIssue(form.suggestions),
  }
  return Object.fromEntries(Object.entries(found).filter(([, issue]) => issue !== undefined))
}

export const handleIssue = (handle: string): string | undefined =>
  /^[a-z0-9]*$/.test(handle) ? lengthIssue(handle, limits.handle) : t("assistants:handle.invalid")

function suggestionsIssue(rows: AssistantForm["suggestions"]): string | undefined {
  for (const [index, { label, prompt }] of rows.entries()) {
    const number = index + 1
    const of = (field: string, issue: string | undefined) =>
      issue === undefined ? undefined : t("assistants:suggestions.issue", { field, issue })
    const issue =
      of(t("assistants:suggestions.label", { number }), lengthIssue(label.trim(), limits.label)) ??
      of(t("assistants:suggestions.prompt", { number }), lengthIssue(prompt.trim(), limits.prompt))
    if (issue !== undefined) return issue
  }
  return undefined
}

const lengthIssue = (text: string, most: number): string | undefined =>
  text.length > most
    ? t("assistants:tooLong", { count: text.length - most, most: formatCount(most) })
    : undefined
