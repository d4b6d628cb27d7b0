import { t } from "i18next"
import { useState } from "react"
import { useChangeWholeLimit, useSettings } from "../../data/settings.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"
import { showToast } from "../../lib/toasts.ts"
import { getIssues } from "../../lib/words/field-issues.ts"

const fields = ["characters", "minutes"] as const

/** Limits how much may be read for one answer, and for how long. */
export function ReadingLimitGroup() {
  const { data: settings } = useSettings()
  const [typed, setTyped] = useState<Partial<Record<(typeof fields)[number], string>>>({})
  const save = useChangeWholeLimit()
  const issues = getIssues(save.error, ["wholeLimit.characters", "wholeLimit.minutes"])
  if (!settings) return null
  const { wholeLimit } = settings
  const getText = (field: (typeof fields)[number]) => typed[field] ?? String(wholeLimit[field])
  const isSame = fields.every((field) => getText(field).trim() === String(wholeLimit[field]))

  return (
    <SettingsGroup title={t("models:reading.title")} description={t("models:reading.description")}>
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(
            { characters: Number(getText("characters")), minutes: Number(getText("minutes")) },
            {
              onSuccess() {
                setTyped({})
                showToast(t("models:reading.saved"))
              },
            },
          )
        }}
      >
        <div className="grid w-full grid-cols-2 gap-3">
          {fields.map((field) => (
            <TextField
              key={field}
              label={t(`models:reading.${field}`)}
              inputMode="numeric"
              value={getText(field)}
              onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
              error={issues[`wholeLimit.${field}`] ?? (field === "characters" ? issues["other"] : undefined)}
            />
          ))}
        </div>
        <Button type="submit" busy={save.isPending} disabled={isSame}>
          {t("models:mirror.save")}
        </Button>
        <LeaveQuestion unsaved={!isSame} />
      </form>
    </SettingsGroup>
  )
}
