import { t } from "i18next"
import { CircleCheck, TriangleAlert } from "lucide-react"
import { useMemo } from "react"
import type { Source, Coverage } from "../../../../../shared/contract/chat.ts"
import { isWhole, type CoveredFile, summariseCoverage } from "../../../../../shared/coverage.ts"
import { useConversation } from "../../../../data/chats/conversations.ts"
import { findFolderOfFile } from "../../../../data/folders/files.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import { useOpenDocument } from "../../../../lib/navigation/open-document.ts"
import { showError, showToast } from "../../../../lib/toasts.ts"
import { toPageLanguage } from "../../../../lib/words/sentence.ts"
import { VirtualList } from "../../../../ui/VirtualList.tsx"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../../ui/text/LongText.tsx"
import { Fold } from "../../parts/Fold.tsx"

/** Sorts files that weren't read, or not completely, to the top. */
export const lackingFirst = (files: readonly CoveredFile[]): CoveredFile[] => [
  ...files.filter((file) => !isWhole(file)),
  ...files.filter(isWhole),
]

/** Returns why a file wasn't read completely, in the page's language if the reason's parts are known. */
function whySkipped({ skipped, sentences = [] }: CoveredFile): string | null {
  const said = sentences.map((sentence) => toPageLanguage("", sentence))
  return said.length === 0 || said.includes("") ? skipped : said.join(" ")
}

/** Returns the reason shared by all files that weren't read completely. Null if the reasons differ or nothing is missing. */
export function commonReason(files: readonly CoveredFile[]): string | null {
  const reasons = new Set(files.filter((file) => !isWhole(file)).map((file) => whySkipped(file)))
  const [reason = null] = reasons
  return reasons.size === 1 ? reason : null
}

interface CoverageFilesProps {
  chatId: string
  files: readonly CoveredFile[]
  sources: readonly Source[]
}

const rowHeight = 36
const rowHeightWithReason = 52

/** Each file with the amount that was read, and why the rest wasn't. */
function CoverageFiles({ chatId, files, sources }: CoverageFilesProps) {
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
      showError(error)
    }
  }
}

interface CoverageFoldProps {
  chatId: string
  coverage: Coverage
  sources: readonly Source[]
  /** Its position in the chat. */
  place: string
}

/** The amount read for an answer, in a line that expands to the files. */
export function CoverageFold({ chatId, coverage, sources, place }: CoverageFoldProps) {
  const { files, complete } = coverage
  const reason = commonReason(files)
  const amounts = describeCoverage(coverage)
  const Icon = complete ? CircleCheck : TriangleAlert
  return (
    <Fold
      place={place}
      summary={
        <>
          <Icon className={`size-4 shrink-0 ${complete ? "" : "text-warning"}`} aria-hidden />
          <span className={`min-w-0 tabular-nums ${complete ? "" : "text-ink"}`}>
            {complete
              ? t("reading:complete", { amounts })
              : reason === null
                ? t("reading:incomplete", { amounts })
                : t("reading:incompleteFor", { amounts, reason })}
          </span>
        </>
      }
    >
      <CoverageFiles chatId={chatId} files={files} sources={sources} />
    </Fold>
  )
}

/** "78 of 80 pages, 2 of 14 files skipped" */
function describeCoverage({ files }: Coverage): string {
  const { amounts, skipped, partly } = summariseCoverage(files)
  const words = [
    ...amounts.map(({ unit, read, of }) => t(`reading:amount.${unit}`, { read, count: of })),
    ...(skipped > 0 ? [t("reading:skipped", { skipped, count: files.length })] : []),
    ...(partly > 0 ? [t("reading:partly", { count: partly })] : []),
    ...(skipped + partly === 0 ? [t("reading:files", { count: files.length })] : []),
  ]
  return words.join(", ")
}
