import { t } from "i18next"
import { ArrowDown, ArrowUp, FileSearch, FolderSearch, Upload } from "lucide-react"
import { useState, type FocusEvent, type KeyboardEvent, useRef } from "react"
import type { FileSort, FileEntry } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { type FileFilter, filePageSize, useFilePages } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { EmptyState } from "../../../ui/PageParts.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { useVirtualRows } from "../../../ui/scrolling.ts"
import type { FileChooser } from "../uploads/FileChooser.tsx"
import { useFileActions } from "./FileActions.tsx"
import { fileColumns, FileRow } from "./FileRow.tsx"
import { PickedBar, maxPicked, stillPicked, type Picked, usePicking, type OnPicked } from "./PickedBar.tsx"
import { fileDeletions } from "./file-commands.ts"

interface TableHeadProps {
  total: number | undefined
  height: number
  sort: FileFilter["sort"]
  onSort: (sort: FileFilter["sort"]) => void
  pickedCount: number
  onPickAll: (isPicked: boolean) => void
}

/** Column headers. Clicking one sorts up, down, then in the original order. */
function TableHead({ total, height, sort, onSort, pickedCount, onPickAll }: TableHeadProps) {
  const hasAll = pickedCount > 0 && pickedCount >= Math.min(total ?? 0, maxPicked)
  const column = (by: FileSort, name: string, alignment = "") => (
    <th
      className={classNames("min-w-0 font-normal", alignment === "" ? "text-left" : alignment)}
      aria-sort={sort?.by === by ? (sort.order === "asc" ? "ascending" : "descending") : "none"}
    >
      <button
        type="button"
        onClick={() => onSort(nextSort(sort, by))}
        className="inline-flex max-w-full items-center gap-1 rounded hover:text-ink"
      >
        <span className="truncate">{name}</span>
        {sort?.by === by && <Arrow order={sort.order} />}
      </button>
    </th>
  )
  return (
    <thead className="sticky top-0 z-10 block border-b border-line bg-canvas text-xs text-faint">
      <tr className={`${fileColumns} px-4`} style={{ height }}>
        <th className="flex font-normal">
          <input
            type="checkbox"
            aria-label={t("folders:pick.all")}
            ref={(box) => {
              if (box) box.indeterminate = pickedCount > 0 && !hasAll
            }}
            checked={hasAll}
            disabled={total === undefined}
            onChange={({ target }) => onPickAll(target.checked)}
            className="size-4 accent-solid"
          />
        </th>
        {column("name", total === undefined ? t("folders:table.name") : t("fileCount", { count: total }))}
        {column("state", t("folders:table.state"))}
        {column("size", t("folders:table.size"), "hidden text-right @2xl:block")}
        {column("modified", t("folders:table.changed"), "hidden text-right @2xl:block")}
        <th className="sr-only">{t("folders:table.actions")}</th>
      </tr>
    </thead>
  )
}

function Arrow({ order }: { order: "asc" | "desc" }) {
  const Icon = order === "asc" ? ArrowUp : ArrowDown
  return <Icon aria-hidden className="size-3 shrink-0" />
}

/** Dates and sizes start with the newest and the largest. */
function nextSort(sort: FileFilter["sort"], by: FileSort): FileFilter["sort"] {
  const first = by === "size" || by === "modified" ? "desc" : "asc"
  if (sort?.by !== by) return { by, order: first }
  if (sort.order === first) return { by, order: first === "asc" ? "desc" : "asc" }
  return undefined
}

interface RowKeysOptions {
  count: number
  /** Number of rows visible at once. */
  pageRows: () => number
  scrollTo: (index: number) => void
  /** Actions of keys pressed on the row itself, not on a button in it. */
  onKey: Record<string, (index: number, event: KeyboardEvent) => void>
}

/** Moves through the rows of a virtual table by keyboard. The focused row may have to be rendered first. */
function useRowKeys({ count, pageRows, scrollTo, onKey }: RowKeysOptions) {
  const [at, setAt] = useState({ index: 0, moved: false })

  const steps: Record<string, (from: number) => number> = {
    ArrowDown: (from) => from + 1,
    ArrowUp: (from) => from - 1,
    PageDown: (from) => from + pageRows(),
    PageUp: (from) => from - pageRows(),
    Home: () => 0,
    End: () => count - 1,
  }

  return {
    /** The row that has the keyboard focus, and whether a key has just moved it there. */
    at,
    onKeyDown(event: KeyboardEvent): void {
      const row = getRow(event.target)
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return
      const step = steps[event.key]
      const act = event.target === row ? onKey[event.key] : undefined
      if (!step && !act) return
      event.preventDefault()
      const from = Number(row.dataset["index"])
      act?.(from, event)
      if (!step) return
      const index = Math.max(0, Math.min(count - 1, step(from)))
      scrollTo(index)
      setAt({ index, moved: true })
    },
    onFocus({ target }: FocusEvent): void {
      const index = Number(getRow(target)?.dataset["index"] ?? at.index)
      if (index !== at.index) setAt({ index, moved: false })
    },
  }
}

const getRow = (target: EventTarget): HTMLElement | null =>
  target instanceof HTMLElement ? target.closest<HTMLElement>("tr[data-index]") : null

const rowHeight = 44
const headHeight = 32

interface FileTableProps {
  folder: Folder
  filter: FileFilter
  picked: Picked
  onPicked: OnPicked
  /** Adds files to an empty folder. */
  chooser: FileChooser
  onSort: (sort: FileFilter["sort"]) => void
}

/** A table of files of any length. It renders only the visible rows and loads only their pages. */
export function FileTable({ folder, filter, picked, onPicked, chooser, onSort }: FileTableProps) {
  const { id, owned, watched } = folder
  const scroller = useRef<HTMLDivElement>(null)
  const { actions, dialogs } = useFileActions(folder)
  const leaving = fileDeletions.useLeaving()
  // Kept while other pages are loading.
  const [knownTotal, setKnownTotal] = useState<number>()
  const virtualizer = useVirtualRows({
    count: knownTotal ?? 0,
    scroller,
    estimateSize: () => rowHeight,
  })
  const items = virtualizer.getVirtualItems()
  const firstPage = Math.floor((items[0]?.index ?? 0) / filePageSize)
  const lastPage = Math.floor((items.at(-1)?.index ?? 0) / filePageSize)
  const pages = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index)
  const results = useFilePages(id, filter, pages)

  const total = results.find((result) => result.data)?.data?.total ?? knownTotal
  const error = results.find((result) => result.error)?.error
  if (total !== knownTotal) setKnownTotal(total)

  const fileAt = (index: number): FileEntry | undefined =>
    results[Math.floor(index / filePageSize) - firstPage]?.data?.files[index % filePageSize]
  const forActiveFile =
    (act: (file: FileEntry, index: number, event: KeyboardEvent) => void) =>
    (index: number, event: KeyboardEvent) => {
      const file = fileAt(index)
      if (file) act(file, index, event)
    }
  const { pickAll, pickFile } = usePicking(id, filter, onPicked)
  const keys = useRowKeys({
    count: total ?? 0,
    pageRows: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
    onKey: {
      Enter: forActiveFile(actions.open),
      Delete: forActiveFile(actions.remove),
      " ": forActiveFile((file, index, { shiftKey }) => pickFile(file, index, shiftKey)),
    },
  })

  const files = stillPicked(
    picked,
    results.flatMap(({ data }) => data?.files ?? []),
    leaving,
  )
  const bar = files.length > 0 && (
    <PickedBar folder={folder} files={files} onClear={() => pickAll(false, 0)} />
  )

  if (error) {
    return (
      <div className="p-4">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  }
  if (total === 0)
    return (
      <>
        <NoFiles
          folder={folder}
          chooser={chooser}
          filtered={filter.search !== "" || filter.state !== undefined}
        />
        {bar}
      </>
    )
  return (
    <>
      <div
        ref={scroller}
        className="@container min-h-0 flex-1 overflow-y-auto"
        style={{ scrollPaddingTop: headHeight }}
      >
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its rows take the keys */}
        <table
          aria-rowcount={(total ?? 0) + 1}
          data-own-focus
          className="relative block"
          style={{ height: virtualizer.getTotalSize() + headHeight }}
          onKeyDown={keys.onKeyDown}
          onFocus={keys.onFocus}
        >
          <caption className="sr-only">{t("folders:table.caption")}</caption>
          <TableHead
            total={total}
            height={headHeight}
            sort={filter.sort}
            onSort={onSort}
            pickedCount={files.length}
            onPickAll={(isPicked) => pickAll(isPicked, total ?? 0)}
          />
          <tbody className="block">
            {items.map(({ key, index, start }) => {
              const file = fileAt(index)
              return (
                <FileRow
                  key={key}
                  index={index}
                  top={start + headHeight}
                  height={rowHeight}
                  folderId={id}
                  owned={owned}
                  watched={watched}
                  file={file}
                  leaving={file !== undefined && leaving.has(file.id)}
                  picked={file !== undefined && picked.has(file.id)}
                  onPick={pickFile}
                  current={index === keys.at.index}
                  focused={keys.at.moved && index === keys.at.index}
                  actions={actions}
                />
              )
            })}
          </tbody>
        </table>
        {dialogs}
      </div>
      {bar}
    </>
  )
}

interface NoFilesProps extends Pick<FileTableProps, "folder" | "chooser"> {
  filtered: boolean
}

function NoFiles({ folder: { owned, watched }, chooser, filtered }: NoFilesProps) {
  if (filtered) return <EmptyState icon={FileSearch} title={t("folders:table.noMatch")} />
  if (!owned || watched) {
    return (
      <EmptyState icon={FolderSearch} title={t("folders:table.emptyWatched")}>
        {owned ? t("folders:table.emptyWatchedHint") : t("folders:table.emptyShared")}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={Upload}
      title={t("folders:table.empty")}
      action={
        <>
          <Button variant="primary" onClick={chooser.openFiles}>
            {t("folders:add.chooseFiles")}
          </Button>
          <Button onClick={chooser.openDirectory}>{t("folders:add.chooseDirectory")}</Button>
        </>
      }
    >
      {t("folders:table.emptyHint")}
    </EmptyState>
  )
}
