import { FileText } from "lucide-react"
import { memo } from "react"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { formatFullMoment, formatMoment, formatSize } from "../../lib/format.ts"
import { useOpenDocument } from "../../lib/open-document.ts"
import { FileMenu } from "./FileMenu.tsx"
import { FileState } from "./FileState.tsx"

export const fileColumns =
  "grid grid-cols-[minmax(0,1fr)_minmax(0,11rem)_4.5rem_1.75rem] items-center gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,16rem)_5rem_5rem_1.75rem]"

interface FileRowProps {
  index: number
  top: number
  height: number
  folderId: string
  owned: boolean
  /** Undefined while its page is being read. */
  file: FileEntry | undefined
}

/** One file: its name opens its text. */
export const FileRow = memo(function FileRow({ index, top, height, folderId, owned, file }: FileRowProps) {
  const openDocument = useOpenDocument()
  const open = () => file && openDocument({ vectorId: folderId, fileId: file.id, fileName: file.name })
  return (
    <tr
      aria-rowindex={index + 2}
      style={{ height, transform: `translateY(${top}px)` }}
      className={`${fileColumns} absolute inset-x-0 top-0 border-b border-line px-4 transition-colors hover:bg-hover`}
    >
      {file ? (
        <>
          <td className="flex min-w-0 items-center gap-2.5">
            <FileText className="size-4 shrink-0 text-faint" aria-hidden />
            <FileName file={file} onOpen={open} />
          </td>
          <td className="min-w-0">
            <FileState file={file} />
          </td>
          <td className="text-right text-xs whitespace-nowrap text-soft tabular-nums">
            {formatSize(file.size)}
          </td>
          <td
            title={formatFullMoment(file.updatedAt)}
            className="hidden text-right text-xs text-soft tabular-nums lg:block"
          >
            {formatMoment(file.updatedAt)}
          </td>
          <td>
            <FileMenu folderId={folderId} owned={owned} file={file} onOpen={open} />
          </td>
        </>
      ) : (
        <td aria-label="Loading">
          <span className="block h-2.5 w-48 animate-pulse rounded-full bg-line" />
        </td>
      )}
    </tr>
  )
})

function FileName({ file, onOpen }: { file: FileEntry; onOpen: () => void }) {
  return (
    <div className="min-w-0">
      {file.status === "completed" ? (
        <button
          type="button"
          title={file.name}
          onClick={onOpen}
          className="block max-w-full truncate rounded text-sm hover:underline"
        >
          {file.name}
        </button>
      ) : (
        <span title={file.name} className="block truncate text-sm">
          {file.name}
        </span>
      )}
      {file.folder !== "" && (
        <span title={file.folder} className="block truncate text-xs leading-tight text-faint">
          {file.folder}
        </span>
      )}
    </div>
  )
}
