import { t } from "i18next"
import { FileSearch, FolderSearch, Upload } from "lucide-react"
import { useRef, useState, type KeyboardEvent } from "react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { filePageSize, useFilePages, type FileFilter } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { EmptyState } from "../../../ui/PageParts.tsx"
import { Note } from "../../../ui/Note.tsx"
import { useVirtualRows } from "../../../ui/scrolling.ts"
import { fileDeletions } from "./file-deletions.ts"
import { FileRow } from "./FileRow.tsx"
import { stillPicked, type Picked } from "./picked.ts"
import { PickedBar } from "./PickedBar.tsx"
import { TableHead } from "./TableHead.tsx"
import { useFileActions } from "./use-file-actions.tsx"
import { usePicking, type OnPicked } from "./use-picking.ts"
import type { FileChooser } from "../uploads/use-file-chooser.tsx"
import { useRowKeys } from "./use-row-keys.ts"

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
          filtered={filter.search !== "" || filter.status !== undefined}
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
