import { t } from "i18next"
import type { InstalledModel } from "../../../shared/contract/model-files.ts"
import { useFoundModels } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/SettingsGroup.tsx"
import { showToast } from "../../lib/toasts.ts"
import { FoundList } from "./FoundList.tsx"
import { PathForm } from "./PathForm.tsx"

const announce = ({ name }: InstalledModel) => showToast(t("models:add.added", { name }))

/** Models that are on this computer already: by path, or from other programs' folders. */
export function AddModelGroup() {
  return (
    <>
      <SettingsGroup title={t("models:add.title")} description={t("models:add.description")}>
        <PathForm submit={t("models:add.submit")} onAdded={announce} />
      </SettingsGroup>
      <Found />
    </>
  )
}

function Found() {
  const { data: found, error } = useFoundModels()
  if (!error && (!found || found.length === 0)) return null
  const verb = { short: t("models:found.add"), full: (name: string) => t("models:found.addModel", { name }) }
  return (
    <SettingsGroup title={t("models:found.title")} description={t("models:found.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {found && <FoundList models={found} verb={verb} onAdded={announce} />}
    </SettingsGroup>
  )
}
