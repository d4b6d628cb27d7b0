import { t } from "i18next"
import { useMemo } from "react"
import type { Source } from "../../../../../shared/contract/chat.ts"
import type { CoveredFile } from "../../../../../shared/coverage.ts"
import { useConversation } from "../../../../data/chats/conversations.ts"
import { findFolderOfFile } from "../../../../data/folders/files.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import { describeError } from "../../../../lib/box.ts"
import { useOpenDocument } from "../../../../lib/navigation/open-document.ts"
import { showToast } from "../../../../lib/toasts.ts"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { VirtualList } from "../../../../ui/VirtualList.tsx"
import { lackingFirst } from "./lacking-first.ts"
import { whySkipped } from "./why-skipped.ts"
import { MiddleCut } from "../../../../ui/text/MiddleCut.tsx"

interface CoverageFilesProps {
  chatId: string
  files: readonly CoveredFile[]
  sources: readonly Source[]
}

const rowHeight = 36
const rowHeightWithReason = 52

/** Each file with the amount that was read, and why the rest wasn't. */
export function CoverageFiles({ chatId, files, sources }: CoverageFilesProps) {
  const ordered = useMemo(() => lackingFirst(files), [files])
  const open = useOpenCovered(chatId, sources)
  return (
    <VirtualList
      label={t("reading:list")}
      items={ordered}
      getId={({ fileId }) => fileId}
      getHeight={({ skipped }) => (skipped === null ? rowHeight : rowHeightWithReason)}
      className="max-h-80 overflow-y-auto rounded-lg border border-line p-1"
    >
      {(file) => <FileButton file={file} onOpen={() => void open(file)} />}
    </VirtualList>
  )
}

function FileButton({ file, onOpen }: { file: CoveredFile; onOpen: () => void }) {
  const { name, read, of, unit } = file
  const skipped = whySkipped(file)
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex h-full w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover hover:text-ink"
    >
      <FileGlyph name={name} />
      <span className="min-w-0 flex-1">
        <span className="block truncate" title={name}>
          <MiddleCut text={name} />
        </span>
        {skipped !== null && (
          <span className="block truncate text-xs text-warning" title={skipped}>
            {skipped}
          </span>
        )}
      </span>
      {of > 0 && (
        <span className="shrink-0 text-xs text-faint tabular-nums">
          {t(`reading:amount.${unit}`, { read, count: of })}
        </span>
      )}
    </button>
  )
}

/** Opens a file next to the chat. Coverage doesn't include a file's folder, so the folder comes from the sources or is looked up. */
function useOpenCovered(chatId: string, sources: readonly Source[]) {
  const openDocument = useOpenDocument()
  const { data: conversation } = useConversation(chatId, undefined, true)
  const { data: folders = [] } = useFolders()
  return async ({ fileId, name }: CoveredFile): Promise<void> => {
    const likely = [...(conversation?.vectorIds ?? []), ...sources.map(({ vectorId }) => vectorId)]
    const folderIds = [...new Set([...likely, ...folders.map(({ id }) => id)])]
    try {
      const known = sources.find((source) => source.fileId === fileId)?.vectorId
      const vectorId = known ?? (await findFolderOfFile(fileId, folderIds))
      if (vectorId === undefined) showToast(t("reading:gone", { name }), "error")
      else openDocument({ vectorId, fileId, fileName: name })
    } catch (error) {
      showToast(describeError(error), "error")
    }
  }
}
