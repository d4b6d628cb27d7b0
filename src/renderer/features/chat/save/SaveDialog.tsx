import { t } from "i18next"
import { useState } from "react"
import type { Source } from "../../../../shared/contract/chat.ts"
import type { GeneratedBy } from "../../../../shared/contract/files.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { refreshFiles } from "../../../data/folders/files.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { box, describeError } from "../../../lib/box.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showToast } from "../../../lib/toasts.ts"
import { toFileName } from "../../../lib/browser/save-file.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"
import type { SavedAnswer } from "./saved-answer.ts"

const formats = ["docx", "md"] as const
type Format = (typeof formats)[number]

interface SaveDialogProps {
  chatId: string
  messageId: string
  text: string
  sources: readonly Source[]
  onClose: () => void
}

/** Chooses the location, format and name for saving an answer. */
export function SaveDialog({ chatId, messageId, text, sources, onClose }: SaveDialogProps) {
  const { data: conversation } = useConversation(chatId, undefined, true)
  const { data: folders = [] } = useFolders()
  const messages = conversation?.messages ?? []
  const position = messages.findIndex(({ id }) => id === messageId)
  const answer = messages[position]
  const question = messages[position - 1]?.content ?? ""
  const title = question.replaceAll(/\s+/g, " ").trim() || t("chat:answer")
  const chatFolderIds = conversation?.vectorIds ?? []
  const writable = folders
    .filter(({ owned }) => owned)
    .toSorted((a, b) => Number(chatFolderIds.includes(b.id)) - Number(chatFolderIds.includes(a.id)))

  const [format, setFormat] = useState<Format>("docx")
  const [typed, setTyped] = useState<string>()
  const [chosen, setChosen] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const name = typed ?? toFileName(title, t("chat:answer"))
  const folder = writable.find(({ id }) => id === chosen) ?? writable[0]

  async function save() {
    if (!folder) return
    setBusy(true)
    try {
      const file = await makeFile(format, { title, text, sources })
      const fileName = `${toFileName(name, t("chat:answer"))}.${format}`
      const generatedBy: GeneratedBy = {
        chatId,
        assistantId: answer?.assistantId ?? null,
        modelId: answer?.model ?? null,
      }
      const receipt = await box.files.upload({
        params: { id: folder.id },
        file,
        fileName,
        generatedBy: JSON.stringify(generatedBy),
      })
      await refreshFiles(folder.id)
      const saved = receipt.files[0]
      showToast(t("saving:saved", { name: saved?.filename ?? fileName, folder: folder.name }), "info", {
        ...(saved && { onOpen: () => navigate(routes.file(folder.id, saved.id)) }),
      })
      onClose()
    } catch (error) {
      setProblem(describeError(error))
      setBusy(false)
    }
  }

  return (
    <Dialog open onClose={onClose} title={t("saving:open")} description={t("saving:description")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          label={t("saving:name")}
          value={name}
          maxLength={120}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="grid grid-cols-2 gap-3">
          <SelectField
            label={t("saving:format")}
            value={format}
            onChange={(event) => setFormat(event.target.value === "md" ? "md" : "docx")}
          >
            {formats.map((each) => (
              <option key={each} value={each}>
                {t(`saving:${each}`)}
              </option>
            ))}
          </SelectField>
          <SelectField
            label={t("saving:folder")}
            value={folder?.id ?? ""}
            disabled={writable.length === 0}
            onChange={(event) => setChosen(event.target.value)}
          >
            {writable.map(({ id, name: folderName }) => (
              <option key={id} value={id}>
                {folderName}
              </option>
            ))}
          </SelectField>
        </div>
        {writable.length === 0 && <Note kind="warning">{t("saving:noFolder")}</Note>}
        {problem !== undefined && <Note kind="error">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={busy} disabled={!folder || name.trim() === ""}>
            {t("saving:submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The document writers are loaded when the first document is made. */
async function makeFile(format: Format, answer: SavedAnswer): Promise<Blob> {
  if (format === "docx") return (await import("./word-document.ts")).toWord(answer)
  const { savedMarkdown } = await import("./saved-markdown.ts")
  return new Blob([savedMarkdown(answer)], { type: "text/markdown" })
}
