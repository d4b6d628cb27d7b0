import { t } from "i18next"
import { Folder, FolderPlus } from "lucide-react"
import { Link, useLocation } from "wouter"
import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { useFolders } from "../../data/folders.ts"
import { describeError } from "../../lib/box.ts"
import { formatMoment } from "../../lib/format.ts"
import { routes } from "../../lib/routes.ts"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageHeader.tsx"
import { NewFolderDialog } from "./NewFolderDialog.tsx"

/** All folders, and where a new one is made. */
export function FoldersPage({ creating }: { creating: boolean }) {
  const { data: folders, error } = useFolders()
  const [, navigate] = useLocation()
  const create = () => navigate(routes.newFolder)

  return (
    <section aria-label="Folders" className="flex min-w-0 flex-1 flex-col">
      <PageHeader title="Folders">
        <Button variant="primary" onClick={create}>
          <FolderPlus aria-hidden /> New folder
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
            title="No folders yet"
            action={<Button onClick={create}>Create a folder</Button>}
          >
            A folder holds documents that you can ask about. It can follow a directory of yours, or you drop
            files into it.
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
  return (
    <li>
      <Link
        href={routes.folder(folder.id)}
        className="flex items-center gap-3 rounded-lg px-3 py-2 transition-colors hover:bg-hover"
      >
        <Folder className="size-4 shrink-0 text-faint" aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium" title={folder.name}>
            {folder.name}
          </span>
          <span className="block truncate text-xs text-faint" title={folder.folder}>
            {folder.description || folder.folder}
          </span>
        </span>
        <span className="shrink-0 text-right text-xs text-soft tabular-nums">
          {t("fileCount", { count: folder.fileCount })}
          <span className="block text-faint">
            <Standing folder={folder} />
          </span>
        </span>
      </Link>
    </li>
  )
}

function Standing({ folder }: { folder: FolderEntry }) {
  if (folder.pendingCount > 0) return <>{t("fileCount", { count: folder.pendingCount })} being indexed</>
  if (folder.failedCount > 0) return <span className="text-danger">{folder.failedCount} failed</span>
  return <>Created {formatMoment(folder.createdAt)}</>
}
