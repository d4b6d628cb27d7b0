import { t } from "i18next"
import type {
  Automation,
  AutomationDraft,
  FileTrigger,
  Trigger,
} from "../../../shared/contract/automations.ts"
import {
  timeZoneHere,
  firstSchedule,
  readCron,
  toCron,
  type PlainSchedule,
} from "../../lib/words/schedule-words.ts"

export const maxNameLength = 120
export const maxPromptLength = 20_000
export const maxFolders = 50

/** The editor's values. Values for other kinds of trigger stay while one kind is tried. */
export interface AutomationForm extends Pick<
  AutomationDraft,
  "name" | "assistantId" | "prompt" | "vectorIds" | "notify" | "watch"
> {
  kind: Trigger["kind"]
  schedule: PlainSchedule
  timeZone: string
  /** The folder whose files trigger it; empty if none is selected yet. */
  folderId: string
  /** Empty means every file. */
  match: string
  on: FileTrigger["on"]
  /** Text as typed in the fields. */
  minutes: string
  runsPerDay: string
}

export const emptyForm = (): AutomationForm => ({
  name: "",
  kind: "schedule",
  schedule: firstSchedule,
  timeZone: timeZoneHere(),
  folderId: "",
  match: "",
  on: ["added", "changed"],
  assistantId: null,
  prompt: "",
  vectorIds: [],
  notify: "always",
  watch: false,
  minutes: "30",
  runsPerDay: "100",
})

export function toForm(automation: Automation): AutomationForm {
  const { name, trigger, assistantId, prompt, vectorIds, notify, watch, budget } = automation
  return {
    ...emptyForm(),
    name,
    kind: trigger.kind,
    ...(trigger.kind === "schedule" && { schedule: readCron(trigger.cron), timeZone: trigger.timeZone }),
    ...(trigger.kind === "file" && {
      folderId: trigger.vectorId,
      match: trigger.match ?? "",
      on: trigger.on,
    }),
    assistantId,
    prompt,
    vectorIds,
    notify,
    watch,
    minutes: String(budget.minutes),
    runsPerDay: String(budget.runsPerDay),
  }
}

/** Fields in which the box may find errors, under the names it uses. */
export const fields = [
  "name",
  "trigger.cron",
  "trigger.timeZone",
  "trigger.vectorId",
  "trigger.match",
  "trigger.on",
  "assistantId",
  "prompt",
  "vectorIds",
  "notify",
  "watch",
  "budget.minutes",
  "budget.runsPerDay",
]

export function getTrigger({ kind, schedule, timeZone, folderId, match, on }: AutomationForm): Trigger {
  if (kind === "schedule") return { kind, cron: toCron(schedule), timeZone }
  if (kind === "file") return { kind, vectorId: folderId, match: match.trim() || null, on }
  return { kind }
}

/** Returns the request body for the form. */
export const toBody = (form: AutomationForm) => ({
  name: form.name.trim(),
  trigger: getTrigger(form),
  assistantId: form.assistantId,
  prompt: form.prompt,
  vectorIds: form.vectorIds,
  notify: form.notify,
  watch: form.watch && form.kind === "file",
  budget: { minutes: Number(form.minutes), runsPerDay: Number(form.runsPerDay) },
})

export const isSame = (one: AutomationForm, other: AutomationForm): boolean =>
  JSON.stringify(toBody(one)) === JSON.stringify(toBody(other))

/** Templates for new automations. Their texts are in the language files. */
const templates = {
  summary: { kind: "schedule", schedule: readCron("0 9 * * 1"), notify: "always" },
  deadlines: { kind: "file", notify: "result" },
  invoices: { kind: "file", notify: "result", on: ["added"] },
  watch: { kind: "file", notify: "result", watch: true },
  openPoints: { kind: "schedule", schedule: readCron("30 8 * * 1-5"), notify: "result" },
} as const satisfies Record<string, Partial<AutomationForm>>

type TemplateName = keyof typeof templates
export const templateNames = Object.keys(templates) as TemplateName[]

export const isTemplate = (name: string | undefined): name is TemplateName =>
  name !== undefined && Object.hasOwn(templates, name)

export const getTemplateKind = (name: TemplateName): Trigger["kind"] => templates[name].kind

/** The form values of a template, in the page's language. */
export function templateForm(name: TemplateName): AutomationForm {
  const filled: Partial<AutomationForm> = templates[name]
  return {
    ...emptyForm(),
    ...filled,
    name: t(`automations:template.${name}.name`),
    prompt: t(`automations:template.${name}.prompt`, { skipInterpolation: true }),
  }
}

/** Props of a section of the editor. */
export interface FormPartProps {
  form: AutomationForm
  /** Error messages by field. */
  issues: Record<string, string | undefined>
  onChange: (part: Partial<AutomationForm>) => void
}
