import { t } from "i18next"
import { Copy, FolderDown, Sheet } from "lucide-react"
import { useState, useMemo } from "react"
import type { Source } from "../../../../shared/contract/chat.ts"
import type { GeneratedBy } from "../../../../shared/contract/files.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { refreshFiles } from "../../../data/folders/files.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { box, describeError } from "../../../lib/box.ts"
import { copyText } from "../../../lib/browser/clipboard.ts"
import { toFileName, saveBlob, saveFile } from "../../../lib/browser/download.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { csvFile, toTabs } from "../../../lib/words/csv.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Menu, MenuItem } from "../../../ui/layers/Menu.tsx"
import type { AnswerTable, SavedAnswer } from "./read-answer.ts"

const fence = /^ {0,3}(```+|~~~+)/
const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** Returns the tables in a Markdown text, exactly as written. Tables inside code are ignored. */
export function findTables(markdown: string): string[] {
  const lines = markdown.split("\n")
  const tables: string[] = []
  let open: string | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const marker = fence.exec(line)?.[1]
    if (open !== undefined) {
      if (marker?.startsWith(open)) open = undefined
      continue
    }
    open = marker
    const next = lines[at + 1] ?? ""
    if (open !== undefined || !line.includes("|") || !next.includes("-") || !delimiterRow.test(next)) continue
    let end = at + 2
    while (end < lines.length && lines[end]?.includes("|")) end++
    tables.push(lines.slice(at, end).join("\n"))
    at = end - 1
  }
  return tables
}

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
function SaveDialog({ chatId, messageId, text, sources, onClose }: SaveDialogProps) {
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
  const { savedMarkdown } = await import("./read-answer.ts")
  return new Blob([savedMarkdown(answer)], { type: "text/markdown" })
}

/** Maximum number of tables offered per answer. */
const maxTables = 5

interface SaveActionsProps {
  chatId: string
  messageId: string
  text: string
  sources: readonly Source[]
}

/** Saves an answer as a document in a folder, or its tables as spreadsheets. */
export function SaveActions({ chatId, messageId, text, sources }: SaveActionsProps) {
  const [saving, setSaving] = useState(false)
  const tables = useMemo(() => findTables(text).slice(0, maxTables), [text])
  return (
    <>
      <IconButton label={t("saving:open")} onClick={() => setSaving(true)}>
        <FolderDown aria-hidden />
      </IconButton>
      {tables.length > 0 && (
        <Menu
          align="start"
          trigger={
            <IconButton label={t("saving:table.open", { count: tables.length })}>
              <Sheet aria-hidden />
            </IconButton>
          }
        >
          {tables.map((markdown, index) => {
            const number = tables.length > 1 ? ` ${index + 1}` : ""
            return actions.map(({ key, run }) => (
              <MenuItem key={`${markdown}\n${key}`} onSelect={() => void take(markdown, sources, run)}>
                {key === "copy" ? <Copy aria-hidden /> : <Sheet aria-hidden />}
                {t(`saving:table.${key}`, { number })}
              </MenuItem>
            ))
          })}
        </Menu>
      )}
      {saving && (
        <SaveDialog
          chatId={chatId}
          messageId={messageId}
          text={text}
          sources={sources}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  )
}

const actions: { key: "copy" | "excel" | "csv"; run: (table: AnswerTable) => Promise<void> }[] = [
  {
    key: "copy",
    async run(table) {
      await copyText(toTabs((await import("./read-answer.ts")).rowsWithSources(table)))
      showToast(t("saving:table.copied"))
    },
  },
  {
    key: "excel",
    run: async (table) =>
      saveBlob(
        `${t("saving:table.file")}.xlsx`,
        await (await import("./spreadsheet.ts")).toSpreadsheet(table),
      ),
  },
  {
    key: "csv",
    async run(table) {
      const { rowsWithSources } = await import("./read-answer.ts")
      saveFile(`${t("saving:table.file")}.csv`, csvFile(rowsWithSources(table)), "text/csv")
    },
  },
]

/** The table reader is loaded when the first table is saved or copied. */
async function take(markdown: string, sources: readonly Source[], run: (typeof actions)[number]["run"]) {
  try {
    const { readTable } = await import("./read-answer.ts")
    await run(readTable(markdown, sources))
  } catch (error) {
    showError(error)
  }
}
