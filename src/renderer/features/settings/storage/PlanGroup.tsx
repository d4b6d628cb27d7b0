import { t } from "i18next"
import { Check, FolderOpen, X } from "lucide-react"
import { useState } from "react"
import type { BackupPlan, BackupPlanState, PlannedBackup } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"
import { showToast } from "../../../lib/toasts.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { pageLanguage } from "../../../lib/words/language.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../../ui/layers/Dialog.tsx"
import { useBackupPlan, usePlanBackups } from "./storage.ts"

const rhythms = ["never", "running", "day", "week"] as const
/** `running`: on each day that Casella runs, at any time. */
type Rhythm = (typeof rhythms)[number]

/** A backup plan as form values. */
interface PlanDraft {
  rhythm: Rhythm
  weekday: string
  at: string
  directory: string
  keep: string
}

const toDraft = (plan: BackupPlan | null): PlanDraft => ({
  rhythm: plan === null ? "never" : plan.every === "day" && plan.at === null ? "running" : plan.every,
  weekday: String(plan?.weekday ?? 1),
  at: plan?.at ?? "21:00",
  directory: plan?.directory ?? "",
  keep: String(plan?.keep ?? 7),
})

function getPlan({ rhythm, weekday, at, directory, keep }: PlanDraft): BackupPlan | null {
  if (rhythm === "never") return null
  const every = rhythm === "week" ? "week" : "day"
  return {
    every,
    weekday: Number(weekday),
    at: rhythm === "running" ? null : at,
    directory: directory.trim(),
    keep: Number(keep),
  }
}

/** Weekday names in the page's language, from Monday. */
function weekdayNames(): { day: number; name: string }[] {
  const names = new Intl.DateTimeFormat(pageLanguage(), { weekday: "long", timeZone: "UTC" })
  // 1970-01-04 was a Sunday.
  return [1, 2, 3, 4, 5, 6, 0].map((day) => ({
    day,
    name: names.format(new Date(Date.UTC(1970, 0, 4 + day))),
  }))
}

/** Scheduled backups: how often, where, and the result of the last one. */
export function PlanGroup() {
  const { data: state, error } = useBackupPlan()
  return (
    <SettingsGroup
      title={t("settings:storage.plan.title")}
      description={t("settings:storage.plan.description")}
    >
      {error && <Note kind="error">{describeError(error)}</Note>}
      {state && (
        <div className="flex flex-col gap-4">
          <PlanForm plan={state.plan} />
          <Outcome state={state} />
        </div>
      )}
    </SettingsGroup>
  )
}

const planFields = ["plan.directory", "plan.keep", "plan.at"]

function PlanForm({ plan }: { plan: BackupPlan | null }) {
  const [changes, setChanges] = useState<Partial<ReturnType<typeof toDraft>>>({})
  const save = usePlanBackups()
  const draft = { ...toDraft(plan), ...changes }
  const change = (changed: typeof changes) => setChanges({ ...changes, ...changed })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(toDraft(plan))
  const issues = getIssues(save.error, planFields)
  const pickDirectory = shellBridge()?.pickDirectory

  async function pick() {
    const picked = await pickDirectory?.()
    if (typeof picked === "string") change({ directory: picked })
  }

  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(getPlan(draft), {
          onSuccess() {
            setChanges({})
            showToast(t("settings:storage.plan.saved"))
          },
        })
      }}
    >
      <div className="grid w-full grid-cols-1 gap-3 sm:grid-cols-[2fr_1fr_1fr]">
        <SelectField
          label={t("settings:storage.plan.every")}
          value={draft.rhythm}
          onChange={({ target }) => change({ rhythm: target.value as Rhythm })}
        >
          {rhythms.map((rhythm) => (
            <option key={rhythm} value={rhythm}>
              {t(`settings:storage.plan.rhythm.${rhythm}`)}
            </option>
          ))}
        </SelectField>
        {draft.rhythm === "week" && (
          <SelectField
            label={t("settings:storage.plan.weekday")}
            value={draft.weekday}
            onChange={({ target }) => change({ weekday: target.value })}
          >
            {weekdayNames().map(({ day, name }) => (
              <option key={day} value={day}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        {(draft.rhythm === "day" || draft.rhythm === "week") && (
          <TextField
            label={t("settings:storage.plan.at")}
            type="time"
            required
            value={draft.at}
            onChange={({ target }) => change({ at: target.value })}
            error={issues["plan.at"]}
          />
        )}
      </div>
      {draft.rhythm !== "never" && (
        <div className="flex w-full flex-wrap items-start gap-3">
          <div className="min-w-48 flex-1">
            <TextField
              label={t("settings:storage.plan.directory")}
              placeholder={t("settings:storage.plan.directoryExample")}
              hint={t("settings:storage.plan.directoryHint")}
              required
              maxLength={4096}
              value={draft.directory}
              onChange={({ target }) => change({ directory: target.value })}
              error={issues["plan.directory"]}
            />
          </div>
          {pickDirectory && (
            <Button onClick={() => void pick()} className="mt-6.5 h-9">
              <FolderOpen aria-hidden /> {t("settings:storage.plan.choose")}
            </Button>
          )}
          <div className="w-28">
            <TextField
              label={t("settings:storage.plan.keep")}
              type="number"
              min={1}
              max={100}
              required
              value={draft.keep}
              onChange={({ target }) => change({ keep: target.value })}
              error={issues["plan.keep"]}
            />
          </div>
        </div>
      )}
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <Button type="submit" busy={save.isPending} disabled={!isChanged}>
        {t("settings:save")}
      </Button>
      <LeaveQuestion unsaved={isChanged} />
    </form>
  )
}

function Outcome({ state: { plan, running, last, nextAt } }: { state: BackupPlanState }) {
  if (running) return <Spinner label={t("settings:storage.plan.running")} />
  if (!last && nextAt === null) return null
  return (
    <div className="flex flex-col gap-2 text-sm">
      {last && <Last last={last} />}
      {plan && nextAt !== null && (
        <p className="text-soft">{t("settings:storage.plan.next", { moment: formatFullMoment(nextAt) })}</p>
      )}
    </div>
  )
}

function Last({ last: { at, path, sizeBytes, error, sentence } }: { last: PlannedBackup }) {
  const moment = formatFullMoment(at)
  if (sizeBytes === null)
    return (
      <Note kind="error">
        <X className="mr-1 inline size-4" aria-hidden />
        {t("settings:storage.plan.failed", { moment, why: toPageLanguage(error ?? "", sentence) })}
      </Note>
    )
  return (
    <div className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5">
      <Check className="size-4 shrink-0 text-good" aria-hidden />
      <div className="min-w-0 flex-1">
        <p>{t("settings:storage.plan.made", { moment, size: formatSize(sizeBytes) })}</p>
        <p className="text-xs break-all text-faint">{path}</p>
      </div>
    </div>
  )
}
