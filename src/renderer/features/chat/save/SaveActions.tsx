import { t } from "i18next"
import { Copy, FolderDown, Sheet } from "lucide-react"
import { useMemo, useState } from "react"
import type { Source } from "../../../../shared/contract/chat.ts"
import { describeError } from "../../../lib/box.ts"
import { copyText } from "../../../lib/browser/clipboard.ts"
import { saveBlob, saveFile } from "../../../lib/browser/save-file.ts"
import { showToast } from "../../../lib/toasts.ts"
import { csvFile, toTabs } from "../../../lib/words/csv.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { Menu, MenuItem } from "../../../ui/layers/Menu.tsx"
import type { AnswerTable } from "./answer-table.ts"
import { findTables } from "./find-tables.ts"
import { SaveDialog } from "./SaveDialog.tsx"

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
      await copyText(toTabs((await import("./rows-with-sources.ts")).rowsWithSources(table)))
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
      const { rowsWithSources } = await import("./rows-with-sources.ts")
      saveFile(`${t("saving:table.file")}.csv`, csvFile(rowsWithSources(table)), "text/csv")
    },
  },
]

/** The table reader is loaded when the first table is saved or copied. */
async function take(markdown: string, sources: readonly Source[], run: (typeof actions)[number]["run"]) {
  try {
    const { readTable } = await import("./answer-table.ts")
    await run(readTable(markdown, sources))
  } catch (error) {
    showToast(describeError(error), "error")
  }
}
