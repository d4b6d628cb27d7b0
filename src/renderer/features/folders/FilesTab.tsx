import { useState } from "react"
import { FileStatus } from "../../../shared/contract/files.ts"
import { useDebounced } from "../../lib/debounced.ts"
import { SearchField } from "../../ui/SearchField.tsx"
import { FileTable } from "./FileTable.tsx"
import { fileStatusNames } from "./FileState.tsx"

interface FilesTabProps {
  folderId: string
  owned: boolean
  fileCount: number
}

/** A folder's files with what filters them. */
export function FilesTab({ folderId, owned, fileCount }: FilesTabProps) {
  const [search, setSearch] = useState("")
  const [status, setStatus] = useState<FileStatus>()
  const filter = { search: useDebounced(search.trim()), status }
  const filtered = search !== "" || status !== undefined

  return (
    <>
      {(fileCount > 0 || filtered) && (
        <div className="flex items-center gap-2 px-4 py-2.5">
          <SearchField label="Find a file" value={search} onChange={setSearch} className="w-64" />
          <select
            aria-label="State"
            value={status ?? ""}
            onChange={(event) =>
              setStatus(FileStatus.options.find((option) => option === event.target.value))
            }
            className="h-8 rounded-md border border-line bg-field px-2 text-sm hover:border-line-strong"
          >
            <option value="">All states</option>
            {FileStatus.options.map((option) => (
              <option key={option} value={option}>
                {fileStatusNames[option]}
              </option>
            ))}
          </select>
        </div>
      )}
      <FileTable
        key={`${filter.search}:${filter.status ?? ""}`}
        folderId={folderId}
        owned={owned}
        filter={filter}
      />
    </>
  )
}
