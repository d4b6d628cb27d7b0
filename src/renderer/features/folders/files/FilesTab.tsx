import { t } from "i18next"
import { RotateCcw } from "lucide-react"
import { useState } from "react"
import { FileStatus } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { useRetryFailedFiles, type FileFilter } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { FixList } from "./FixList.tsx"
import { FileTable } from "./FileTable.tsx"
import type { Picked } from "./picked.ts"
import type { FileChooser } from "../uploads/use-file-chooser.tsx"

interface FilesTabProps {
  folder: Folder
  chooser: FileChooser
  /** Lists only files with this status. */
  status: FileStatus | undefined
  onStatus: (status: FileStatus | undefined) => void
}

/** A folder's files and their filters. */
export function FilesTab({ folder, chooser, status, onStatus }: FilesTabProps) {
  const [search, setSearch] = useState("")
  const [picked, setPicked] = useState<Picked>(new Map())
  const [sort, setSort] = useState<FileFilter["sort"]>({ by: "name", order: "asc" })
  const filter = { search: useDebounced(search.trim()), status, sort }
  const filtered = search !== "" || status !== undefined

  return (
    <>
      {(folder.fileCount > 0 || filtered) && (
        <div className="flex flex-wrap items-center gap-2 px-4 py-2.5">
          <SearchField
            label={t("folders:table.find")}
            value={search}
            onChange={setSearch}
            className="max-w-64 min-w-32 flex-[8_1_8rem]"
          />
          <select
            aria-label={t("folders:table.state")}
            value={status ?? ""}
            onChange={(event) => onStatus(FileStatus.options.find((option) => option === event.target.value))}
            className="h-8 rounded-md border border-line bg-field px-2 text-sm hover:border-line-strong"
          >
            <option value="">{t("folders:table.allStates")}</option>
            {FileStatus.options.map((option) => (
              <option key={option} value={option}>
                {t(`folders:status.${option}`)}
              </option>
            ))}
          </select>
          <span className="flex-1" />
          {folder.owned && folder.failedCount > 0 && <RetryFailed folder={folder} />}
        </div>
      )}
      {status === "failed" ? (
        <FixList
          folder={folder}
          filter={filter}
          onShowAll={() => {
            setSearch("")
            onStatus(undefined)
          }}
        />
      ) : (
        <FileTable
          key={`${filter.search}:${filter.status ?? ""}`}
          folder={folder}
          filter={filter}
          picked={picked}
          onPicked={setPicked}
          chooser={chooser}
          onSort={setSort}
        />
      )}
    </>
  )
}

function RetryFailed({ folder: { id, failedCount } }: { folder: Folder }) {
  const retry = useRetryFailedFiles(id)
  return (
    <Button
      busy={retry.isPending}
      // When the box answers, nothing may be marked as failed, and the button is gone.
      onClick={() =>
        void retry.mutateAsync().then(
          (count) => showToast(t("folders:table.retrying", { count })),
          (error: unknown) => showToast(describeError(error), "error"),
        )
      }
    >
      <RotateCcw aria-hidden /> {t("folders:table.retryFailed", { count: failedCount })}
    </Button>
  )
}
