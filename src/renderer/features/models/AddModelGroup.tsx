import { t } from "i18next"
import { roleFor, type InstalledModel } from "../../../shared/contract/models.ts"
import { useChooseModel, useFoundModels, useInstalledModels } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { showToast } from "../../lib/toasts.ts"
import { FoundList } from "./FoundList.tsx"
import { PathForm } from "./PathForm.tsx"

/** Reports that a model was added. If its role has no chosen model, the added model is chosen. */
function useAdded() {
  const { data: installed } = useInstalledModels()
  const choose = useChooseModel()
  return ({ id, name, purpose }: InstalledModel) => {
    const role = roleFor(purpose)
    const free = role !== undefined && installed?.choice[role].chosenId === null
    if (free)
      choose.mutate({ role, modelId: id }, { onError: (error) => showToast(describeError(error), "error") })
    showToast(t("models:add.added", { name }))
  }
}

/** Adds models that are already on this computer, by path or from other programs' directories. */
export function AddModelGroup() {
  const onAdded = useAdded()
  return (
    <>
      <SettingsGroup title={t("models:add.title")} description={t("models:add.description")}>
        <PathForm submit={t("models:add.submit")} onAdded={onAdded} />
      </SettingsGroup>
      <Found onAdded={onAdded} />
    </>
  )
}

function Found({ onAdded }: { onAdded: (model: InstalledModel) => void }) {
  const { data: found, error } = useFoundModels()
  if (!error && (!found || found.length === 0)) return null
  const verb = { short: t("models:found.add"), full: (name: string) => t("models:found.addModel", { name }) }
  return (
    <SettingsGroup title={t("models:found.title")} description={t("models:found.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {found && <FoundList models={found} verb={verb} onAdded={onAdded} />}
    </SettingsGroup>
  )
}
