import { useCatalogue, useDownloads, useInstalledModels, useModels } from "../../data/models.ts"
import { describeError, hasCode } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { AddModelGroup } from "./AddModelGroup.tsx"
import { CatalogueGroup } from "./CatalogueGroup.tsx"
import { DownloadGroup } from "./DownloadGroup.tsx"
import { InstalledGroup } from "./InstalledGroup.tsx"
import { RoleGroup } from "./RoleGroup.tsx"

/** The models in use, those on this computer, and where more come from. */
export function ModelsSection() {
  const { data: state, error } = useModels()
  const { data: installed, error: listError } = useInstalledModels()
  const forbidden = hasCode(listError, "forbidden")
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!state || (!installed && !listError)) return <Spinner label="Reading the models" />
  const choosing = (role: "chat" | "embedding") =>
    installed ? { installed: { models: installed.models, choice: installed.choice[role] } } : {}
  return (
    <>
      {!forbidden && <Downloads />}
      <RoleGroup modelRole="chat" state={state.chat} {...choosing("chat")} />
      <RoleGroup modelRole="embedding" state={state.embedding} {...choosing("embedding")} />
      {forbidden && <Note>Only an owner of this workspace can change its models.</Note>}
      {listError && !forbidden && <Note kind="error">{describeError(listError)}</Note>}
      {installed && <InstalledGroup models={installed.models} />}
      {!forbidden && <Catalogue />}
      {!forbidden && <AddModelGroup />}
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
