import { t } from "i18next"
import { ModelRole } from "../../../../shared/contract/models.ts"
import { useInstalledModels, useModels } from "../../../data/models/models.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { ReadingLimitGroup } from "../ReadingLimitGroup.tsx"
import { RoleGroup } from "../RoleGroup.tsx"

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
