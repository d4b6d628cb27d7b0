import { t } from "i18next"
import { Folder, FolderPlus } from "lucide-react"
import { useState } from "react"
import { useLocation, Link } from "wouter"
import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { useCreateFolder, useFolders } from "../../data/folders/folders.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { formatMoment } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { SelectField, TextField, PathField } from "../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"
import { toFolderName } from "./uploads/upload-queue.ts"

/** Creates a folder: an empty one for documents, or one that follows a directory on the user's computer. */
function NewFolderDialog({ onClose }: { onClose: () => void }) {
  const [typedName, setName] = useState<string>()
  const [path, setPath] = useState("")
  const name = typedName ?? toFolderName(path)
  const [pipeline, setPipeline] = useState<"full" | "light">("full")
  const [, navigate] = useLocation()
  const create = useCreateFolder()
  const issues = getIssues(create.error, ["name", "folder"])

  function submit() {
    const folder = path.trim()
    create.mutate(
      { name: name.trim(), pipeline, ...(folder === "" ? {} : { folder }) },
      {
        onSuccess: ({ vector }) => {
          onClose()
          navigate(routes.folder(vector.id))
        },
      },
    )
  }

  return (
    <Dialog open onClose={onClose} title={t("folders:new.title")} description={t("folders:new.description")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label={t("folders:field.name")}
          placeholder={t("folders:new.nameExample")}
          value={name}
          maxLength={120}
          onChange={(event) => setName(event.target.value)}
          error={issues["name"]}
        />
        <PathField
          kind="directory"
          label={t("folders:new.directory")}
          placeholder={t("folders:new.directoryExample")}
          value={path}
          onPath={setPath}
          hint={t("folders:new.directoryHint")}
          error={issues["folder"]}
        />
        <details>
          <summary className="w-fit rounded text-sm text-soft hover:text-ink">
            {t("folders:new.more")}
          </summary>
          <div className="mt-3">
            <SelectField
              label={t("folders:pipeline.label")}
              hint={t("folders:pipeline.hint")}
              value={pipeline}
              onChange={(event) => setPipeline(event.target.value === "light" ? "light" : "full")}
            >
              <option value="full">{t("folders:pipeline.full")}</option>
              <option value="light">{t("folders:pipeline.light")}</option>
            </SelectField>
          </div>
        </details>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={name.trim() === ""}>
            {t("folders:new.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** All folders, and a way to create one. */
export function FoldersPage({ creating }: { creating: boolean }) {
  const { data: folders, error } = useFolders()
  const [, navigate] = useLocation()
  const create = () => navigate(routes.newFolder)

  return (
    <section aria-label={t("folders:title")} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("folders:title")}>
        <Button variant="primary" onClick={create}>
          <FolderPlus aria-hidden /> {t("folders:newFolder")}
        </Button>
      </PageHeader>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {error && (
          <div className="p-4">
            <Note kind="error">{describeError(error)}</Note>
          </div>
        )}
        {folders?.length === 0 && (
          <EmptyState
            icon={Folder}
            title={t("folders:none")}
            action={<Button onClick={create}>{t("folders:create")}</Button>}
          >
            {t("folders:noneHint")}
          </EmptyState>
        )}
        {folders && folders.length > 0 && (
          <ul className="p-2">
            {folders.map((folder) => (
              <FolderRow key={folder.id} folder={folder} />
            ))}
          </ul>
        )}
      </div>
      {creating && <NewFolderDialog onClose={() => navigate(routes.folders, { replace: true })} />}
    </section>
  )
}

function FolderRow({ folder }: { folder: FolderEntry }) {
  // Directories that the box created are named after their folder's id. Showing that path wouldn't help anyone.
  const followed = folder.folder.endsWith(folder.id) ? "" : folder.folder
  const about = folder.description || followed
  return (
    <li>
      <Link
        href={routes.folder(folder.id)}
        className="flex items-center gap-3 rounded-lg px-3 py-2 transition-colors hover:bg-hover"
      >
        <FolderIcon folder={folder} />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium" title={folder.name}>
            {folder.name}
          </span>
          <span className="block truncate text-xs text-faint" title={about}>
            {about}
          </span>
        </span>
        <span className="shrink-0 text-right text-xs text-soft tabular-nums">
          {t("fileCount", { count: folder.fileCount })}
          <span className="block text-faint">
            <FolderProgress folder={folder} />
          </span>
        </span>
      </Link>
    </li>
  )
}

function FolderProgress({ folder }: { folder: FolderEntry }) {
  if (folder.pendingCount > 0) return t("folders:beingIndexed", { count: folder.pendingCount })
  if (folder.failedCount > 0) {
    return <span className="text-danger">{t("folders:failedCount", { count: folder.failedCount })}</span>
  }
  if (!folder.owned) return t("folders:shared")
  return t("folders:created", { moment: formatMoment(folder.createdAt) })
}
