import { t } from "i18next"
import { AppError } from "../../../../shared/contract/app-error.ts"
import { describeError } from "../../../lib/box.ts"
import type { AssistantForm } from "./form.ts"
import { inPageLanguage } from "../../../lib/words/sentence.ts"
import { asSentence, fieldIssues } from "../../../lib/words/field-issues.ts"

const fields = [
  "name",
  "handle",
  "description",
  "instructions",
  "icon",
  "color",
  "customImage",
  "modelId",
  "suggestions",
  "vectorIds",
  "builtInTools",
  "permissionMode",
  "visibility",
] as const
export type IssueField = (typeof fields)[number]
export type FormIssues = Partial<Record<IssueField | "other", string>>

/** What a refused save says, by the field it is about; what belongs to none of them stands under `other`. */
export function formIssues(error: unknown): FormIssues {
  if (error === undefined || error === null) return {}
  if (!(error instanceof AppError)) return { other: describeError(error) }
  if (error.code === "handle_taken") return { handle: t("assistants:handle.taken") }
  if (error.code === "forbidden") return { vectorIds: t("assistants:folders.refused") }
  const issues: FormIssues = {}
  for (const { field, message, sentence } of fieldIssues(error)) {
    const owner = fields.find((name) => field === name || field.startsWith(`${name}.`)) ?? "other"
    issues[owner] ??= asSentence(inPageLanguage(message, sentence))
  }
  return Object.keys(issues).length > 0 ? issues : { other: describeError(error) }
}

/** The first field with an issue, in the order of the page. */
export const firstIssue = (issues: FormIssues): IssueField | undefined =>
  fields.find((field) => issues[field] !== undefined)

/** What the page itself can say before anything is sent. */
export function ownIssues({ name, handle }: Pick<AssistantForm, "name" | "handle">): FormIssues {
  return {
    ...(name.trim() === "" ? { name: t("assistants:name.missing") } : {}),
    ...(/^[a-z0-9]*$/.test(handle) ? {} : { handle: t("assistants:handle.invalid") }),
  }
}
