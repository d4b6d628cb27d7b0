import { t } from "i18next"
import { z } from "zod"
import { AppError } from "../../../../shared/contract/app-error.ts"
import {
  PermissionMode,
  type Assistant,
  type AssistantDraft,
  type AssistantPatch,
  type Suggestion,
} from "../../../../shared/contract/assistants.ts"
import { Visibility } from "../../../../shared/contract/folders.ts"
import { describeError } from "../../../lib/box.ts"
import { capitaliseFirst, fieldIssues } from "../../../lib/words/field-issues.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"

/** A starter prompt being edited. `key` stays the same while the prompt is moved or edited. */
const SuggestionRow = z.object({ key: z.string(), label: z.string(), prompt: z.string() })
export type SuggestionRow = z.infer<typeof SuggestionRow>

/** The values of the editor's fields. */
export const AssistantForm = z.object({
  name: z.string(),
  /** If empty, it is derived from the name. */
  handle: z.string(),
  description: z.string(),
  instructions: z.string(),
  icon: z.string().nullable(),
  color: z.string().nullable(),
  customImage: z.string().nullable(),
  /** Null means the selected chat model. */
  modelId: z.string().nullable(),
  suggestions: z.array(SuggestionRow),
  vectorIds: z.array(z.string()),
  /** Keys of the enabled tools. */
  tools: z.array(z.string()),
  permissionMode: PermissionMode,
  visibility: Visibility,
  enabled: z.boolean(),
})
export type AssistantForm = z.infer<typeof AssistantForm>
/** Fields with unsaved changes. */
export type FormChanges = Partial<AssistantForm>

/** Limits from the contract, and limits for readability. */
export const limits = {
  name: 120,
  handle: 120,
  description: 10_000,
  instructions: 100_000,
  suggestions: 12,
  label: 200,
  prompt: 4000,
  folders: 50,
}

export const emptyForm: AssistantForm = {
  name: "",
  handle: "",
  description: "",
  instructions: "",
  icon: null,
  color: null,
  customImage: null,
  modelId: null,
  suggestions: [],
  vectorIds: [],
  tools: [],
  permissionMode: "auto",
  visibility: "PRIVATE",
  enabled: true,
}

export function toForm(assistant: Assistant): AssistantForm {
  const { suggestions, builtInTools, ...rest } = assistant
  return AssistantForm.parse({
    ...rest,
    suggestions: suggestions.map((suggestion, index) => ({ key: String(index), ...suggestion })),
    tools: Object.keys(builtInTools).filter((key) => builtInTools[key] === true),
  })
}

/** Returns the fields of `form` that differ from `saved`. */
export function getChanges(saved: AssistantForm, form: AssistantForm): FormChanges {
  const fields = Object.entries(form) as [keyof AssistantForm, unknown][]
  return Object.fromEntries(fields.filter(([field]) => comparable(saved[field]) !== comparable(form[field])))
}

/** Ignores row keys and the order in which tools were selected. */
function comparable(value: AssistantForm[keyof AssistantForm]): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  if (value.every((entry) => typeof entry === "string")) return JSON.stringify(value.toSorted())
  return JSON.stringify(value.map(({ label, prompt }) => [label, prompt]))
}

/** Returns the patch to send for these changes. Tools that the box doesn't know, or no longer knows, are left out. */
export function toPatch(changes: FormChanges, knownTools: ReadonlySet<string> | undefined): AssistantPatch {
  const { suggestions, tools, handle, name, ...plain } = changes
  return {
    ...plain,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(handle === undefined ? {} : { handle: handle === "" ? null : handle }),
    ...(suggestions === undefined ? {} : { suggestions: suggestions.flatMap(toSuggestion) }),
    ...(tools === undefined ? {} : { builtInTools: toFlags(tools, knownTools) }),
  }
}

export function toDraft(form: AssistantForm, knownTools: ReadonlySet<string> | undefined): AssistantDraft {
  return { ...toPatch(getChanges(emptyForm, form), knownTools), name: form.name.trim() }
}

const toFlags = (tools: string[], known: ReadonlySet<string> | undefined): Record<string, boolean> =>
  Object.fromEntries(tools.filter((key) => known?.has(key) ?? true).map((key) => [key, true]))

/** If only a label or only a prompt is given, it is used for both. A row with neither is dropped. */
function toSuggestion({ label, prompt }: SuggestionRow): Suggestion[] {
  const [shown, asked] = [label.trim(), prompt.trim()]
  if (shown === "" && asked === "") return []
  return [{ label: shown || firstLine(asked), prompt: asked || shown }]
}

const firstLine = (text: string): string => (text.split("\n")[0] ?? "").slice(0, limits.label)

const issueFields = [
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
export type IssueField = (typeof issueFields)[number]
export type FormIssues = Partial<Record<IssueField | "other", string>>

/** The errors of a refused save, by field. Errors that concern no field are under `other`. */
export function formIssues(error: unknown): FormIssues {
  if (error === undefined || error === null) return {}
  if (!(error instanceof AppError)) return { other: describeError(error) }
  if (error.code === "handle_taken") return { handle: t("assistants:handle.taken") }
  if (error.code === "forbidden") return { vectorIds: t("assistants:folders.refused") }
  const issues: FormIssues = {}
  for (const { field, message, sentence } of fieldIssues(error)) {
    const owner = issueFields.find((name) => field === name || field.startsWith(`${name}.`)) ?? "other"
    issues[owner] ??= capitaliseFirst(toPageLanguage(message, sentence))
  }
  return Object.keys(issues).length > 0 ? issues : { other: describeError(error) }
}

/** The first field with an issue, in page order. */
export const firstIssue = (issues: FormIssues): IssueField | undefined =>
  issueFields.find((field) => issues[field] !== undefined)

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

const lengthIssue = (text: string, max: number): string | undefined =>
  text.length > max
    ? t("assistants:tooLong", { count: text.length - max, most: formatCount(max) })
    : undefined
