import { t } from "i18next"
import { FileSearch, Upload } from "lucide-react"
import { useRef, useState } from "react"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { filePageSize, useFilePages, type FileFilter } from "../../data/files.ts"
import { describeError } from "../../lib/box.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Note } from "../../ui/Note.tsx"
import { useVirtualRows } from "../../ui/use-virtual-rows.ts"
import { fileColumns, FileRow } from "./FileRow.tsx"

const rowHeight = 44
const headHeight = 32

interface FileTableProps {
  folderId: string
  owned: boolean
  filter: FileFilter
}

/** Files as a table of any length: only the rows on screen are drawn, only their pages are read. */
export function FileTable({ folderId, owned, filter }: FileTableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  // Kept while pages of other rows are being read.
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
  const results = useFilePages(folderId, filter, pages)

  const total = results.find((result) => result.data)?.data?.total ?? knownTotal
  const error = results.find((result) => result.error)?.error
  if (total !== knownTotal) setKnownTotal(total)

  const fileAt = (index: number): FileEntry | undefined =>
    results[Math.floor(index / filePageSize) - firstPage]?.data?.files[index % filePageSize]

  if (error) {
    return (
      <div className="p-4">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  }
  if (total === 0) return <NoFiles filtered={filter.search !== "" || filter.status !== undefined} />
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <table
        aria-rowcount={(total ?? 0) + 1}
        className="relative block"
        style={{ height: virtualizer.getTotalSize() + headHeight }}
      >
        <caption className="sr-only">Files</caption>
        <thead className="sticky top-0 z-10 block border-b border-line bg-canvas text-xs text-faint">
          <tr className={`${fileColumns} px-4`} style={{ height: headHeight }}>
            <th className="text-left font-normal">
              {total === undefined ? "Name" : t("fileCount", { count: total })}
            </th>
            <th className="text-left font-normal">State</th>
            <th className="text-right font-normal">Size</th>
            <th className="hidden text-right font-normal lg:block">Changed</th>
            <th className="sr-only">Actions</th>
          </tr>
        </thead>
        <tbody className="block">
          {virtualizer.getVirtualItems().map((item) => (
            <FileRow
              key={item.key}
              index={item.index}
              top={item.start + headHeight}
              height={rowHeight}
              folderId={folderId}
              owned={owned}
              file={fileAt(item.index)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NoFiles({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState icon={FileSearch} title="No file matches" />
  return (
    <EmptyState icon={Upload} title="Drop documents here">
      Files or whole directories. They are indexed as they arrive, and you can ask about each as soon as it is
      ready.
    </EmptyState>
  )
}
