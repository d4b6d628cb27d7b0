import { t } from "i18next"
import { useState } from "react"
import { useSetModelMirror } from "../../data/models/models.ts"
import { useSettings } from "../../data/settings.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"
import { showToast } from "../../lib/toasts.ts"

const usual = "https://huggingface.co"

/** Chooses the server that models are downloaded from. */
export function MirrorGroup() {
  const { data: settings } = useSettings()
  const [typed, setTyped] = useState<string>()
  const save = useSetModelMirror()
  const issues = getIssues(save.error, ["modelMirror"])
  if (!settings) return null
  const address = typed ?? settings.modelMirror

  function set(mirror: string) {
    save.mutate(mirror, {
      onSuccess: () => {
        setTyped(undefined)
        showToast(t("models:mirror.saved", { host: new URL(mirror).host }))
      },
    })
  }

  return (
    <SettingsGroup title={t("models:mirror.title")} description={t("models:mirror.description")}>
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          set(address.trim())
        }}
      >
        <div className="w-full">
          <TextField
            label={t("models:mirror.field")}
            value={address}
            maxLength={255}
            onChange={(event) => setTyped(event.target.value)}
            error={issues["modelMirror"] ?? issues["other"]}
          />
        </div>
        <div className="flex gap-2">
          <Button type="submit" busy={save.isPending} disabled={address.trim() === settings.modelMirror}>
            {t("models:mirror.save")}
          </Button>
          {settings.modelMirror !== usual && (
            <Button variant="quiet" onClick={() => set(usual)}>
              {t("models:mirror.reset")}
            </Button>
          )}
        </div>
        <LeaveQuestion unsaved={address.trim() !== settings.modelMirror} />
      </form>
    </SettingsGroup>
  )
}
