import { t } from "i18next"
import { useInstalledModels } from "../../../data/models/models.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { AddModelGroup } from "../AddModelGroup.tsx"
import { InstalledGroup } from "../InstalledGroup.tsx"

/** The models on this computer that Casella knows, and those that can be added. */
export function InstalledSection() {
  const { data: installed, error } = useInstalledModels()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!installed) return <Spinner label={t("models:loading")} />
  return (
    <>
      <InstalledGroup models={installed.models} />
      <AddModelGroup />
    </>
  )
}
