import { t } from "i18next"
import type { Reading } from "../../../../../shared/contract/chat.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import type { AnsweringModel } from "../../../../data/models/models.ts"
import { formatList } from "../../../../lib/words/format.ts"
import { Note } from "../../../../ui/Note.tsx"

interface SendingNoteProps {
  folderIds: string[]
  /** How much of the folders is read. */
  reading: Reading | undefined
  /** The model that answers the next question. */
  model: AnsweringModel | undefined
  /** A local model that could answer instead. */
  local: AnsweringModel | undefined
  onChoose: (modelId: string) => void
}

/** Shows, before a question is asked, which content of the selected folders leaves this computer with it, and which doesn't. */
export function SendingNote({ folderIds, reading, model, local, onChoose }: SendingNoteProps) {
  const { data: folders = [] } = useFolders()
  const chosen = folders.filter(({ id }) => folderIds.includes(id))
  if (!model || model.host === null || chosen.length === 0) return null
  const staying = chosen.filter(({ remote }) => remote === "never")
  const namedFolders = staying.length > 0 ? staying : chosen
  const names = formatList(namedFolders.map(({ name }) => name))
  const values = { folders: names, model: model.name, host: model.host, count: namedFolders.length }
  return (
    <output className="mb-2 block px-1">
      <Note kind="quiet">
        {staying.length > 0 ? t("chat:model.staysHere", values) : describeSending(values, reading)}
        {staying.length > 0 && local && (
          <>
            {" "}
            <button
              type="button"
              onClick={() => onChoose(local.id)}
              className="rounded text-accent underline underline-offset-2 hover:text-ink"
            >
              {t("chat:model.letAnswer", { name: local.name })}
            </button>
          </>
        )}
      </Note>
    </output>
  )
}

interface Sending {
  folders: string
  model: string
  host: string
  count: number
}

/** Describes what is sent. The amount may depend on the question. */
function describeSending(values: Sending, reading: Reading | undefined): string {
  if (reading === "whole") return t("chat:model.sendsWhole", { ...values })
  const passages = t("chat:model.sends", { ...values })
  return reading === "auto" ? `${passages} ${t("chat:model.sendsMore")}` : passages
}
