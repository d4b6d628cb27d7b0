import { t } from "i18next"
import { CalendarClock, FileInput, MousePointerClick, Webhook, type LucideIcon } from "lucide-react"
import type { Trigger } from "../../../shared/contract/automations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import {
  rhythms,
  toCron,
  type PlainSchedule,
  type Rhythm,
  scheduleWords,
  timeZoneHere,
  weekdayName,
} from "../../lib/words/schedule-words.ts"
import { classNames } from "../../ui/class-names.ts"
import { SelectField, TextField } from "../../ui/controls/Field.tsx"
import type { FormPartProps } from "./automation-form.ts"

export const triggerIcons: Record<Trigger["kind"], LucideIcon> = {
  schedule: CalendarClock,
  file: FileInput,
  hook: Webhook,
  manual: MousePointerClick,
}

const kinds = ["schedule", "file", "hook", "manual"] as const satisfies Trigger["kind"][]

/** The trigger of an automation. */
export function TriggerFields(props: FormPartProps) {
  const { form, onChange } = props
  return (
    <fieldset className="@container flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-sm font-medium">{t("automations:field.trigger")}</legend>
      <div className="grid grid-cols-2 gap-2 @xl:grid-cols-4">
        {kinds.map((kind) => {
          const Icon = triggerIcons[kind]
          return (
            <label
              key={kind}
              className={classNames(
                "flex min-h-9 items-center gap-2 rounded-lg border px-2.5 py-1.5 text-sm transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent",
                form.kind === kind
                  ? "border-accent bg-tint text-accent"
                  : "border-line-strong text-soft hover:bg-hover hover:text-ink",
              )}
            >
              <input
                type="radio"
                name="trigger"
                checked={form.kind === kind}
                onChange={() => onChange({ kind })}
                className="sr-only"
              />
              <Icon className="size-4 shrink-0" aria-hidden />
              {t(`automations:kind.${kind}`)}
            </label>
          )
        })}
      </div>
      {form.kind === "schedule" && <ScheduleFields {...props} />}
      {form.kind === "file" && <FileFields {...props} />}
      {(form.kind === "hook" || form.kind === "manual") && (
        <p className="text-sm text-soft">{t(`automations:kindText.${form.kind}`)}</p>
      )}
    </fieldset>
  )
}

function ScheduleFields({ form, issues, onChange }: FormPartProps) {
  const { schedule, timeZone } = form
  const change = (part: Partial<PlainSchedule>) => onChange({ schedule: { ...schedule, ...part } })
  const words = scheduleWords(schedule)
  const here = schedule.rhythm === "own" ? undefined : words
  const said = timeZone === timeZoneHere() ? here : t("automations:when.elsewhere", { words, timeZone })
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          label={t("automations:field.rhythm")}
          value={schedule.rhythm}
          onChange={(event) => {
            const rhythm = event.target.value as Rhythm
            change({ rhythm, ...(rhythm === "own" && { cron: toCron(schedule) }) })
          }}
        >
          {rhythms.map((rhythm) => (
            <option key={rhythm} value={rhythm}>
              {t(`automations:rhythm.${rhythm}`)}
            </option>
          ))}
        </SelectField>
        {schedule.rhythm === "week" && (
          <SelectField
            label={t("automations:field.weekday")}
            value={schedule.weekday}
            onChange={(event) => change({ weekday: Number(event.target.value) })}
          >
            {[1, 2, 3, 4, 5, 6, 0].map((weekday) => (
              <option key={weekday} value={weekday}>
                {weekdayName(weekday)}
              </option>
            ))}
          </SelectField>
        )}
        {schedule.rhythm === "month" && (
          <SelectField
            label={t("automations:field.dayOfMonth")}
            hint={schedule.dayOfMonth > 28 ? t("automations:shortMonths") : undefined}
            value={schedule.dayOfMonth}
            onChange={(event) => change({ dayOfMonth: Number(event.target.value) })}
          >
            {Array.from({ length: 31 }, (_, index) => (
              <option key={index} value={index + 1}>
                {index + 1}
              </option>
            ))}
          </SelectField>
        )}
        {schedule.rhythm === "own" ? (
          <div className="sm:col-span-2">
            <TextField
              label={t("automations:field.cron")}
              hint={t("automations:cronHint")}
              value={schedule.cron}
              maxLength={200}
              onChange={(event) => change({ cron: event.target.value })}
              error={issues["trigger.cron"]}
            />
          </div>
        ) : (
          <TextField
            type="time"
            required
            label={t("automations:field.time")}
            value={schedule.time}
            onChange={(event) => change({ time: event.target.value })}
            error={issues["trigger.cron"]}
          />
        )}
      </div>
      {(said !== undefined || issues["trigger.timeZone"] !== undefined) && (
        <p
          className={issues["trigger.timeZone"] === undefined ? "text-xs text-faint" : "text-xs text-danger"}
        >
          {issues["trigger.timeZone"] ?? said}
        </p>
      )}
    </>
  )
}

const arrivals = { both: ["added", "changed"], added: ["added"], changed: ["changed"] } as const
type Arrivals = keyof typeof arrivals

function FileFields({ form, issues, onChange }: FormPartProps) {
  const { data: folders = [] } = useFolders()
  const on: Arrivals = form.on.length > 1 ? "both" : (form.on[0] ?? "both")
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <SelectField
        label={t("automations:field.folder")}
        value={folders.some(({ id }) => id === form.folderId) ? form.folderId : ""}
        onChange={(event) => onChange({ folderId: event.target.value })}
        error={issues["trigger.vectorId"]}
      >
        <option value="">{t("automations:chooseFolder")}</option>
        {folders.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t("automations:field.match")}
        hint={t("automations:matchHint")}
        placeholder={t("automations:matchExample")}
        value={form.match}
        maxLength={200}
        onChange={(event) => onChange({ match: event.target.value })}
        error={issues["trigger.match"]}
      />
      <SelectField
        label={t("automations:field.on")}
        value={on}
        onChange={(event) => onChange({ on: [...arrivals[event.target.value as Arrivals]] })}
        error={issues["trigger.on"]}
      >
        {(Object.keys(arrivals) as Arrivals[]).map((which) => (
          <option key={which} value={which}>
            {t(`automations:arrivals.${which}`)}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
