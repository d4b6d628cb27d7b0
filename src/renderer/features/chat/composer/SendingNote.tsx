import { t } from "i18next"
import { useFolders } from "../../../data/folders.ts"
import { useModels } from "../../../data/models/models.ts"
import type { AnsweringModel } from "../../../data/models/answering.ts"
import { formatList } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"

interface SendingNoteProps {
  folderIds: string[]
  /** The model that the next question names; undefined: the chosen one. */
  model: AnsweringModel | undefined
}

/** Says before a question what of the chosen folders leaves this computer with it, and what doesn't. */
export function SendingNote({ folderIds, model }: SendingNoteProps) {
  const { data: folders = [] } = useFolders()
  const { data: state } = useModels()
  const chosen = folders.filter(({ id }) => folderIds.includes(id))
  const name = elsewhere(model, state?.chat)
  if (name === null || chosen.length === 0) return null
  const staying = chosen.filter(({ remote }) => remote === "never")
  const told = staying.length > 0 ? staying : chosen
  const values = { folders: formatList(told.map((folder) => folder.name)), model: name, count: told.length }
  return (
    <output className="mb-2 block px-1">
      <Note kind="quiet">
        {staying.length > 0 ? t("chat:model.staysHere", values) : t("chat:model.sends", values)}
      </Note>
    </output>
  )
}

/** What the model is called that answers, if it is on a server. */
function elsewhere(
  model: AnsweringModel | undefined,
  usual: { id: string; kind: "local" | "remote" } | null | undefined,
): string | null {
  if (model) return model.server === null ? null : `${model.name} (${model.server})`
  return usual?.kind === "remote" ? usual.id : null
}
