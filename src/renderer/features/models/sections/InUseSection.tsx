import { t } from "i18next"
import { useState } from "react"
import { ModelRole } from "../../../../shared/contract/models.ts"
import { useInstalledModels, useModels } from "../../../data/models/models.ts"
import { useChangeSettings, useSettings } from "../../../data/settings.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../../ui/layers/Dialog.tsx"
import { RoleGroup } from "../RoleGroup.tsx"

const limitFields = ["characters", "minutes"] as const

/** Limits how much may be read for one answer, and for how long. */
function ReadingLimitGroup() {
  const { data: settings } = useSettings()
  const [typed, setTyped] = useState<Partial<Record<(typeof limitFields)[number], string>>>({})
  const change = useChangeSettings()
  const issues = getIssues(change.error, ["wholeLimit.characters", "wholeLimit.minutes"])
  if (!settings) return null
  const { wholeLimit } = settings
  const getText = (field: (typeof limitFields)[number]) => typed[field] ?? String(wholeLimit[field])
  const isSame = limitFields.every((field) => getText(field).trim() === String(wholeLimit[field]))

  return (
    <SettingsGroup title={t("models:reading.title")} description={t("models:reading.description")}>
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          const characters = Number(getText("characters"))
          const minutes = Number(getText("minutes"))
          change.mutate(
            { wholeLimit: { characters, minutes } },
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
          {limitFields.map((field) => (
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
        <Button type="submit" busy={change.isPending} disabled={isSame}>
          {t("models:mirror.save")}
        </Button>
        <LeaveQuestion unsaved={!isSame} />
      </form>
    </SettingsGroup>
  )
}

/** The models in use, one for each role, and the choice of others. */
export function InUseSection() {
  const { data: state, error } = useModels()
  const { data: installed, error: listError } = useInstalledModels()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!state || (!installed && !listError)) return <Spinner label={t("models:loading")} />
  return (
    <>
      {listError && <Note kind="error">{describeError(listError)}</Note>}
      {ModelRole.options.map((role) => (
        <RoleGroup
          key={role}
          modelRole={role}
          state={state[role]}
          {...(installed ? { usable: { ...installed, choice: installed.choice[role] } } : {})}
        />
      ))}
      <ReadingLimitGroup />
    </>
  )
}
