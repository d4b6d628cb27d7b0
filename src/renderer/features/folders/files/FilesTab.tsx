import { t } from "i18next"
import { Ban, CircleCheck, RotateCcw } from "lucide-react"
import { useEffect, useState } from "react"
import { Completeness, type FileEntry, FileStatus } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import {
  filePageSize,
  useFile,
  useFilePages,
  useRetryFile,
  type FileFilter,
  type FileStateFilter,
  useRetryFailedFiles,
} from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { isLocked, getReason } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { EmptyState } from "../../../ui/PageParts.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import type { FileChooser } from "../uploads/FileChooser.tsx"
import { PasswordField } from "./FileDetailsDialog.tsx"
import { FileTable } from "./FileTable.tsx"
import { fileStateFilters } from "./file-states.ts"
import { excludeFromSearch } from "./file-commands.ts"
import type { Picked } from "./PickedBar.tsx"

/** The states of files that are listed with their reasons. */
type IncompleteState = "failed" | "partial" | "none"

interface FixListProps {
  folder: Folder
  state: IncompleteState
  filter: FileFilter
  onShowAll: () => void
}

const isIn = (state: IncompleteState, { status, completeness }: FileEntry): boolean =>
  state === "failed" ? status === "failed" : completeness === state

/** Files that weren't read, or not completely, each with the reason and a way to fix it. */
function FixList({ folder, state, filter, onShowAll }: FixListProps) {
  // kept here, because files that are retried leave the list while they are read
  const [passwords, setPasswords] = useState<Record<string, string>>({})
  /** Ids of files whose passwords are being tried. They stay in the list while they are read, and their field keeps the focus. */
  const [tried, setTried] = useState<ReadonlySet<string>>(new Set())
  /** The list when the last password was tried. */
  const [before, setBefore] = useState<readonly FileEntry[]>([])
  const [page] = useFilePages(folder.id, filter, [0])
  if (page?.error) return <Note kind="error">{describeError(page.error)}</Note>
  if (!page?.data) return null
  const { files, total } = page.data
  // A file's new status arrives in the list before the list is loaded again without the file.
  const failed = new Map(files.flatMap((file) => (isIn(state, file) ? [[file.id, file]] : [])))
  const kept = before.filter(({ id }) => failed.has(id) || tried.has(id))
  const rows = [
    ...kept.map((file) => failed.get(file.id) ?? file),
    ...[...failed.values()].filter(({ id }) => kept.every((file) => file.id !== id)),
  ]
  const endTry = (id: string) => setTried((all) => new Set([...all].filter((one) => one !== id)))
  if (rows.length === 0)
    return (
      <EmptyState
        icon={CircleCheck}
        title={t(`folders:fix.${state === "failed" ? "none" : "noneIncomplete"}`)}
        action={<Button onClick={onShowAll}>{t("folders:fix.all")}</Button>}
      />
    )
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-4">
      <ul
        aria-label={state === "failed" ? t("folders:fix.label") : t(`folders:completeness.${state}`)}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {rows.map((file) => (
          <FixRow
            key={file.id}
            folder={folder}
            file={file}
            password={passwords[file.id] ?? ""}
            onPassword={(password) => setPasswords((all) => ({ ...all, [file.id]: password }))}
            isBeingRead={!failed.has(file.id)}
            onTry={() => {
              setBefore(rows)
              setTried((all) => new Set([...all, file.id]))
            }}
            onRead={() => endTry(file.id)}
          />
        ))}
      </ul>
      {total > filePageSize && (
        <p className="mt-2 text-xs text-faint">{t("folders:fix.more", { count: total - filePageSize })}</p>
      )}
    </div>
  )
}

interface FixRowProps {
  folder: Folder
  file: FileEntry
  password: string
  onPassword: (password: string) => void
  /** Whether its password is being tried, so that it isn't among the failed files now. */
  isBeingRead: boolean
  onTry: () => void
  /** Called when the file has opened or is gone. */
  onRead: () => void
}

function FixRow({
  folder: { id, owned },
  file,
  password,
  onPassword,
  isBeingRead,
  onTry,
  onRead,
}: FixRowProps) {
  const retry = useRetryFile(id)
  const { data: now, error } = useFile(id, isBeingRead ? file.id : undefined)
  const isOver = isBeingRead && (error !== null || now?.status === "completed" || now?.status === "skipped")
  useEffect(() => {
    if (!isOver) return
    if (now?.status === "completed") showToast(t("folders:fix.read", { name: file.name }), "info")
    onRead()
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5 text-sm">
      <FileGlyph name={file.name} />
      <div className="min-w-48 flex-1">
        <p className="break-words">{file.name}</p>
        <p
          className={classNames(
            "text-xs break-words",
            !isBeingRead && file.status === "failed" ? "text-danger" : "text-soft",
          )}
        >
          {isBeingRead ? t("folders:fix.reading") : getReason(file)}
        </p>
      </div>
      {owned && (
        <div className="flex flex-wrap items-center gap-2">
          {isLocked(file) && (
            <PasswordField
              folderId={id}
              file={file}
              password={password}
              onChange={onPassword}
              isTried={isBeingRead}
              onTry={onTry}
            />
          )}
          {!isBeingRead && (
            <>
              <Button busy={retry.isPending} onClick={() => retry.mutate(file.id, { onError: showError })}>
                <RotateCcw aria-hidden /> {t("folders:fix.retry")}
              </Button>
              {file.leftOut !== true && (
                <Button onClick={() => void excludeFromSearch(id, file)}>
                  <Ban aria-hidden /> {t("folders:file.leaveOut")}
                </Button>
              )}
            </>
          )}
        </div>
      )}
    </li>
  )
}

interface FilesTabProps {
  folder: Folder
  chooser: FileChooser
  /** Lists only files in this state. */
  state: FileStateFilter | undefined
  onState: (state: FileStateFilter | undefined) => void
}

/** A folder's files and their filters. */
export function FilesTab({ folder, chooser, state, onState }: FilesTabProps) {
  const [search, setSearch] = useState("")
  const [picked, setPicked] = useState<Picked>(new Map())
  const [sort, setSort] = useState<FileFilter["sort"]>({ by: "name", order: "asc" })
  const filter = { search: useDebounced(search.trim()), state, sort }
  const filtered = search !== "" || state !== undefined

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
            value={state ?? ""}
            onChange={(event) => onState(fileStateFilters.find((option) => option === event.target.value))}
            className="h-8 rounded-md border border-line bg-field px-2 text-sm hover:border-line-strong"
          >
            <option value="">{t("folders:table.allStates")}</option>
            {FileStatus.options.map((option) => (
              <option key={option} value={option}>
                {t(`folders:status.${option}`)}
              </option>
            ))}
            <optgroup label={t("folders:completeness.label")}>
              {Completeness.options.map((option) => (
                <option key={option} value={option}>
                  {t(`folders:completeness.${option}`)}
                </option>
              ))}
            </optgroup>
          </select>
          <span className="flex-1" />
          {folder.owned && folder.failedCount > 0 && <RetryFailed folder={folder} />}
        </div>
      )}
      {state === "failed" || state === "partial" || state === "none" ? (
        <FixList
          key={state}
          folder={folder}
          state={state}
          filter={filter}
          onShowAll={() => {
            setSearch("")
            onState(undefined)
          }}
        />
      ) : (
        <FileTable
          key={`${filter.search}:${filter.state ?? ""}`}
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
        void retry.mutateAsync().then((count) => showToast(t("folders:table.retrying", { count })), showError)
      }
    >
      <RotateCcw aria-hidden /> {t("folders:table.retryFailed", { count: failedCount })}
    </Button>
  )
}
