import { t } from "i18next"
import { roleFor, type InstalledModel } from "../../../shared/contract/models.ts"
import { useChooseModel, useFoundModels } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { Dialog } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { FoundList } from "./FoundList.tsx"
import { PathForm } from "./PathForm.tsx"

/** Starts using a model that is on this computer: another program's model, or a file by its path. */
export function UseModelDialog({ onClose }: { onClose: () => void }) {
  const { data: found = [] } = useFoundModels()
  const choose = useChooseModel()

  function use({ id, purpose }: InstalledModel) {
    const role = roleFor(purpose)
    if (role) choose.mutate({ role, modelId: id }, { onSuccess: onClose })
    else onClose()
  }

  const verb = { short: t("models:found.use"), full: (name: string) => t("models:found.useModel", { name }) }
  return (
    <Dialog open onClose={onClose} title={t("models:card.dialog")} description={t("models:card.dialogHint")}>
      <div className="flex flex-col gap-4">
        {found.length > 0 && <FoundList models={found} verb={verb} onAdded={use} />}
        <PathForm submit={t("models:add.use")} onAdded={use} />
        {choose.error && <Note kind="error">{describeError(choose.error)}</Note>}
      </div>
    </Dialog>
  )
}
