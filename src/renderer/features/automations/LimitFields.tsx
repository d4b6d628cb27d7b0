import { t } from "i18next"
import { useState } from "react"
import type { Notify } from "../../../shared/contract/automations.ts"
import { Disclosure } from "../../ui/controls/Sections.tsx"
import { SelectField, TextField } from "../../ui/controls/Field.tsx"
import type { FormPartProps } from "./form-part.ts"

const kinds = ["always", "result", "never"] as const satisfies Notify[]

/** When the owner is notified, and the automation's limits. */
export function LimitFields({ form, issues, onChange }: FormPartProps) {
  const [open, setOpen] = useState(false)
  const isWrong = issues["budget.minutes"] !== undefined || issues["budget.runsPerDay"] !== undefined
  return (
    <>
      <SelectField
        label={t("automations:field.notify")}
        value={form.notify}
        onChange={(event) => onChange({ notify: event.target.value as Notify })}
        error={issues["notify"]}
      >
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {t(`automations:notify.${kind}`)}
          </option>
        ))}
      </SelectField>
      <div>
        <Disclosure
          title={t("automations:limits")}
          summary={t("automations:limitsSummary", { minutes: form.minutes, runs: form.runsPerDay })}
          open={open || isWrong}
          onToggle={() => setOpen(!open)}
        >
          <div className="mt-2 grid gap-3 sm:grid-cols-2">
            <TextField
              type="number"
              label={t("automations:field.minutes")}
              hint={t("automations:minutesHint")}
              value={form.minutes}
              onChange={(event) => onChange({ minutes: event.target.value })}
              error={issues["budget.minutes"]}
            />
            <TextField
              type="number"
              label={t("automations:field.runsPerDay")}
              hint={t("automations:runsPerDayHint")}
              value={form.runsPerDay}
              onChange={(event) => onChange({ runsPerDay: event.target.value })}
              error={issues["budget.runsPerDay"]}
            />
          </div>
        </Disclosure>
      </div>
    </>
  )
}
