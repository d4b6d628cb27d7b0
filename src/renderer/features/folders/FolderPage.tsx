import { t } from "i18next"
import { FolderX, MessageSquare } from "lucide-react"
import { Tabs } from "radix-ui"
import { Link } from "wouter"
import type { Folder } from "../../../shared/contract/folders.ts"
import { useFolder } from "../../data/folders.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/routes.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageHeader.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { DropZone } from "./DropZone.tsx"
import { FilesTab } from "./FilesTab.tsx"
import { FolderMenu } from "./FolderMenu.tsx"
import { SearchTab } from "./SearchTab.tsx"
import { UploadButton } from "./UploadButton.tsx"

/** A folder: its files, and a search to try. Files can be dropped anywhere on it. */
export function FolderPage({ folderId }: { folderId: string }) {
  const { data: folder, error, isPending } = useFolder(folderId)
  if (isPending) {
    return (
      <div className="m-auto text-faint">
        <Spinner label="Loading the folder" />
      </div>
    )
  }
  if (error) {
    return (
      <div className="m-auto max-w-md p-6">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  }
  if (!folder) return <MissingFolder />
  const screen = <FolderScreen folder={folder} />
  return folder.owned ? (
    <DropZone folderId={folder.id} folderName={folder.name}>
      {screen}
    </DropZone>
  ) : (
    screen
  )
}

const tab =
  "h-9 border-b-2 border-transparent px-1 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"

function FolderScreen({ folder }: { folder: Folder }) {
  return (
    <section aria-label="Folder" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <PageHeader title={folder.name}>
        <Link
          href={routes.newChatIn(folder.id)}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-3 text-sm font-medium text-soft hover:bg-hover hover:text-ink"
        >
          <MessageSquare className="size-4" aria-hidden /> Ask
        </Link>
        {folder.owned && <UploadButton folderId={folder.id} />}
        {folder.owned && <FolderMenu folder={folder} />}
      </PageHeader>
      <div className="px-4 pt-2.5 text-sm text-soft">
        {folder.description !== "" && <p className="line-clamp-2">{folder.description}</p>}
        <p className="truncate text-xs text-faint" title={folder.folder}>
          {folder.watched ? "Follows " : "Kept in "}
          {folder.folder}
        </p>
      </div>
      <Standing folder={folder} />
      <Tabs.Root defaultValue="files" className="flex min-h-0 flex-1 flex-col">
        <Tabs.List aria-label="Folder" className="flex gap-4 border-b border-line px-4">
          <Tabs.Trigger value="files" className={tab}>
            Files
          </Tabs.Trigger>
          <Tabs.Trigger value="search" className={tab}>
            Test search
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="files" tabIndex={-1} className="flex min-h-0 flex-1 flex-col">
          <FilesTab folderId={folder.id} owned={folder.owned} fileCount={folder.fileCount} />
        </Tabs.Content>
        <Tabs.Content value="search" tabIndex={-1} className="flex min-h-0 flex-1 flex-col">
          <SearchTab folderId={folder.id} />
        </Tabs.Content>
      </Tabs.Root>
    </section>
  )
}

function Standing({ folder: { paused, pendingCount, failedCount } }: { folder: Folder }) {
  const facts = [
    paused && "Indexing is paused.",
    pendingCount > 0 && `${t("fileCount", { count: pendingCount })} to be indexed.`,
    failedCount > 0 && `${t("fileCount", { count: failedCount })} failed.`,
  ].filter((fact) => fact !== false)
  if (facts.length === 0) return null
  return <output className="block px-4 pt-1 text-xs text-soft">{facts.join(" ")}</output>
}

function MissingFolder() {
  return (
    <EmptyState
      icon={FolderX}
      title="This folder doesn’t exist"
      action={
        <Link href={routes.folders} className="rounded text-sm font-medium text-accent">
          All folders
        </Link>
      }
    >
      It may have been deleted, or it isn’t shared with you.
    </EmptyState>
  )
}
