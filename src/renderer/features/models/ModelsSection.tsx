import { t } from "i18next"
import { ModelRole } from "../../../shared/contract/model-files.ts"
import { useCatalogue, useDownloads, useInstalledModels, useModels } from "../../data/models/models.ts"
import { describeError, hasCode } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { AddModelGroup } from "./AddModelGroup.tsx"
import { AddressGroup } from "./AddressGroup.tsx"
import { CatalogueGroup } from "./CatalogueGroup.tsx"
import { DownloadGroup } from "./DownloadGroup.tsx"
import { InstalledGroup } from "./InstalledGroup.tsx"
import { MirrorGroup } from "./MirrorGroup.tsx"
import { OwnCatalogueGroup } from "./OwnCatalogueGroup.tsx"
import { ServersGroup } from "./servers/ServersGroup.tsx"
import { ReadingLimitGroup } from "./ReadingLimitGroup.tsx"
import { RoleGroup } from "./RoleGroup.tsx"

/** The models in use, those on this computer, and where more come from. */
export function ModelsSection() {
  const { data: state, error } = useModels()
  const { data: installed, error: listError } = useInstalledModels()
  const forbidden = hasCode(listError, "forbidden")
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!state || (!installed && !listError)) return <Spinner label={t("models:loading")} />
  return (
    <>
      {!forbidden && <Downloads />}
      {ModelRole.options.map((role) => (
        <RoleGroup
          key={role}
          modelRole={role}
          state={state[role]}
          {...(installed ? { usable: { ...installed, choice: installed.choice[role] } } : {})}
        />
      ))}
      {!forbidden && <ReadingLimitGroup />}
      {forbidden && <Note>{t("models:ownersOnly")}</Note>}
      {listError && !forbidden && <Note kind="error">{describeError(listError)}</Note>}
      {installed && <InstalledGroup models={installed.models} />}
      {!forbidden && <More />}
    </>
  )
}

/** Everything that adds models. */
function More() {
  return (
    <>
      <Catalogue />
      <ServersGroup />
      <AddModelGroup />
      <AddressGroup />
      <MirrorGroup />
      <OwnCatalogueGroup />
    </>
  )
}

function Downloads() {
  const { data: downloads, error } = useDownloads()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  return downloads && downloads.length > 0 ? <DownloadGroup downloads={downloads} /> : null
}

function Catalogue() {
  const { data: catalogue, error } = useCatalogue()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  return catalogue ? <CatalogueGroup {...catalogue} /> : null
}
