import { t } from "i18next"
import { memo, useEffect, useRef } from "react"
import type { FileEntry, FileStatus } from "../../../../shared/contract/files.ts"
import { formatPercent, formatFullMoment, formatMoment, formatSize } from "../../../lib/words/format.ts"
import { getReason } from "../../../lib/words/sentence.ts"
import { ProgressBar } from "../../../ui/Progress.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { FileMenu, type FileActions } from "./FileActions.tsx"
import { getFileDate } from "./FileDetailsDialog.tsx"

const stateDots: Record<FileStatus, string> = {
  queued: "bg-line-strong",
  processing: "bg-accent",
  completed: "bg-good",
  failed: "bg-danger",
  skipped: "bg-warning",
}

/** A file's indexing state, and why it isn't indexed. */
function FileState({ file, leaving }: { file: FileEntry; leaving: boolean }) {
  const { name, status, progress } = file
  const reason = getReason(file)
  const phase = t(`folders:phase.${file.phase}`)
  return (
    <div className="flex min-w-0 items-center gap-2">
      <span className={classNames("size-1.5 shrink-0 rounded-full", stateDots[status])} aria-hidden />
      {status === "processing" && !leaving ? (
        <div className="flex w-full max-w-36 flex-col gap-1">
          <span className="flex justify-between gap-2 text-xs leading-tight text-soft">
            <span className="truncate">{phase}</span>
            {progress > 0 && <span className="tabular-nums">{formatPercent(progress / 100)}</span>}
          </span>
          <ProgressBar percent={progress} label={t("folders:file.progress", { name, phase })} />
        </div>
      ) : (
        <span
          title={reason ?? undefined}
          className={classNames(
            "line-clamp-2 text-xs leading-tight",
            status === "failed" ? "text-danger" : "text-soft",
          )}
        >
          {leaving ? t("folders:file.leaving") : shownState(file, reason)}
        </span>
      )}
    </div>
  )
}

function shownState({ status, leftOut, generatedBy }: FileEntry, reason: string | null): string {
  if (leftOut === true) return t("folders:file.leftOut")
  if (generatedBy && status === "completed") return t("folders:file.generated")
  return reason ?? t(`folders:status.${status}`)
}

/** Container queries, because the table can be narrower than the window, next to a document or a wide sidebar. */
export const fileColumns =
  "grid grid-cols-[1rem_minmax(0,1fr)_minmax(0,7rem)_1.75rem] items-center gap-x-4 @2xl:grid-cols-[1rem_minmax(0,1fr)_minmax(0,9rem)_4.5rem_5rem_1.75rem] @3xl:grid-cols-[1rem_minmax(0,1fr)_minmax(0,18rem)_5rem_6rem_1.75rem]"

interface FileRowProps {
  index: number
  top: number
  height: number
  folderId: string
  owned: boolean
  watched: boolean
  /** Undefined while its page is loading. */
  file: FileEntry | undefined
  /** Whether it is about to be deleted. */
  leaving: boolean
  picked: boolean
  /** Selects or deselects the file; for a range, all files from the last one as well. */
  onPick: (file: FileEntry, index: number, isRange: boolean) => void
  /** Whether the arrow keys are at this row, which Tab then reaches. */
  current: boolean
  /** Whether the arrow keys have just moved here. */
  focused: boolean
  actions: FileActions
}

/** A row for one file. Its name opens its text. */
export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { index, top, height, folderId, owned, watched, file, leaving } = props
  const { picked, onPick, current, focused, actions } = props
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    const { activeElement } = document
    const isFree = activeElement === document.body || row.current?.closest("table")?.contains(activeElement)
    if (focused && isFree) row.current?.focus({ preventScroll: true })
  }, [focused])
  // Deleting removes the file's menu, which had the focus. The next file then moves into this row.
  useEffect(() => {
    if (leaving && current && document.activeElement === document.body)
      row.current?.focus({ preventScroll: true })
  }, [leaving, current])
  return (
    <tr
      ref={row}
      data-index={index}
      tabIndex={current ? 0 : -1}
      aria-rowindex={index + 2}
      style={{ height, transform: `translateY(${top}px)` }}
      className={classNames(
        fileColumns,
        "absolute inset-x-0 top-0 border-b border-line px-4 transition-colors hover:bg-hover focus-visible:-outline-offset-2",
        picked && "bg-selected",
        leaving && "opacity-50",
      )}
    >
      {file ? (
        <>
          <td className="flex">
            <input
              type="checkbox"
              aria-label={t("folders:pick.file", { name: file.name })}
              tabIndex={-1} // the row handles Space
              disabled={leaving}
              checked={picked}
              readOnly
              onMouseDown={(event) => event.shiftKey && event.preventDefault()} // otherwise the browser selects text
              onClick={({ currentTarget, shiftKey }) => {
                currentTarget.focus({ preventScroll: true })
                onPick(file, index, shiftKey)
              }}
              className="size-4 accent-solid"
            />
          </td>
          <td className="flex min-w-0 items-center gap-2.5">
            <FileGlyph name={file.name} />
            <FileName file={file} onOpen={() => actions.open(file)} />
          </td>
          <td className="min-w-0">
            <FileState file={file} leaving={leaving} />
          </td>
          <td className="hidden text-right text-xs whitespace-nowrap text-soft tabular-nums @2xl:block">
            {formatSize(file.size)}
          </td>
          <td
            title={formatFullMoment(getFileDate(file))}
            className="hidden text-right text-xs whitespace-nowrap text-soft tabular-nums @2xl:block"
          >
            {formatMoment(getFileDate(file))}
          </td>
          <td>
            {!leaving && (
              <FileMenu folderId={folderId} owned={owned} watched={watched} file={file} actions={actions} />
            )}
          </td>
        </>
      ) : (
        <td aria-label={t("folders:table.loading")} className="col-start-2">
          <span className="block h-2.5 w-48 animate-pulse rounded-full bg-line" />
        </td>
      )}
    </tr>
  )
})

function FileName({ file: { name, folder, web }, onOpen }: { file: FileEntry; onOpen: () => void }) {
  const under = web
    ? t("folders:web.under", { address: bareAddress(web.url), moment: formatMoment(web.fetchedAt) })
    : folder
  return (
    <div className="min-w-0">
      <button
        type="button"
        title={name}
        onClick={onOpen}
        className="block max-w-full truncate rounded text-left text-sm hover:underline"
      >
        <MiddleCut text={name} />
      </button>
      {under !== "" && (
        <span
          title={
            web?.problem ? t("folders:web.failedSince", { moment: formatFullMoment(web.problem.at) }) : under
          }
          className={classNames(
            "block truncate text-xs leading-tight",
            web?.problem ? "text-warning" : "text-faint",
          )}
        >
          {web?.problem ? `${t("folders:web.notFetched")} · ${under}` : under}
        </span>
      )}
    </div>
  )
}

const bareAddress = (url: string) => url.replace(/^https?:\/\//, "")
