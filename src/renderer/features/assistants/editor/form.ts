import { z } from "zod"
import {
  PermissionMode,
  type Assistant,
  type AssistantDraft,
  type AssistantPatch,
  type Suggestion,
} from "../../../../shared/contract/assistants.ts"
import { Visibility } from "../../../../shared/contract/folders.ts"

/** A starter prompt that is being edited; `key` stays while it is moved and typed in. */
const SuggestionRow = z.object({ key: z.string(), label: z.string(), prompt: z.string() })
export type SuggestionRow = z.infer<typeof SuggestionRow>

/** What the editor's fields hold. */
export const AssistantForm = z.object({
  name: z.string(),
  /** Empty: it is derived from the name. */
  handle: z.string(),
  description: z.string(),
  instructions: z.string(),
  icon: z.string().nullable(),
  color: z.string().nullable(),
  customImage: z.string().nullable(),
  /** Null: the chosen chat model. */
  modelId: z.string().nullable(),
  suggestions: z.array(SuggestionRow),
  vectorIds: z.array(z.string()),
  /** Keys of the tools that are switched on. */
  tools: z.array(z.string()),
  permissionMode: PermissionMode,
  visibility: Visibility,
  enabled: z.boolean(),
})
export type AssistantForm = z.infer<typeof AssistantForm>
/** Fields that were changed and aren't saved. */
export type FormChanges = Partial<AssistantForm>

/** Limits of the contract, and of what is comfortable to read. */
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

export function formOf(assistant: Assistant): AssistantForm {
  const { suggestions, builtInTools, ...rest } = assistant
  return AssistantForm.parse({
    ...rest,
    suggestions: suggestions.map((suggestion, index) => ({ key: String(index), ...suggestion })),
    tools: Object.keys(builtInTools).filter((key) => builtInTools[key] === true),
  })
}

/** The fields of `form` that say something else than `saved`. */
export function changesOf(saved: AssistantForm, form: AssistantForm): FormChanges {
  const fields = Object.entries(form) as [keyof AssistantForm, unknown][]
  return Object.fromEntries(fields.filter(([field]) => comparable(saved[field]) !== comparable(form[field])))
}

/** Rows' keys and the order in which tools were ticked make no difference. */
function comparable(value: AssistantForm[keyof AssistantForm]): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  if (value.every((entry) => typeof entry === "string")) return JSON.stringify(value.toSorted())
  return JSON.stringify(value.map(({ label, prompt }) => [label, prompt]))
}

/** What is sent to the box for these changes. Tools that it doesn't know (any more) are left out. */
export function patchOf(changes: FormChanges, knownTools: ReadonlySet<string> | undefined): AssistantPatch {
  const { suggestions, tools, handle, name, ...plain } = changes
  return {
    ...plain,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(handle === undefined ? {} : { handle: handle === "" ? null : handle }),
    ...(suggestions === undefined ? {} : { suggestions: suggestions.flatMap(toSuggestion) }),
    ...(tools === undefined ? {} : { builtInTools: toFlags(tools, knownTools) }),
  }
}

export function draftOf(form: AssistantForm, knownTools: ReadonlySet<string> | undefined): AssistantDraft {
  return { ...patchOf(changesOf(emptyForm, form), knownTools), name: form.name.trim() }
}

const toFlags = (tools: string[], known: ReadonlySet<string> | undefined): Record<string, boolean> =>
  Object.fromEntries(tools.filter((key) => known?.has(key) ?? true).map((key) => [key, true]))

/** A label or a prompt alone stands for both; a row with neither is none. */
function toSuggestion({ label, prompt }: SuggestionRow): Suggestion[] {
  const [shown, asked] = [label.trim(), prompt.trim()]
  if (shown === "" && asked === "") return []
  return [{ label: shown || firstLine(asked), prompt: asked || shown }]
}

const firstLine = (text: string): string => (text.split("\n")[0] ?? "").slice(0, limits.label)
