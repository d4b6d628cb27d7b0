import { t } from "i18next"
import { Folder, FolderPlus } from "lucide-react"
import { Link } from "wouter"
import { useFolders } from "../../data/folders.ts"
import { useModels } from "../../data/models.ts"
import { routes } from "../../lib/routes.ts"

const shownFolders = 6

/** An empty chat: what can be asked, and about which folder. */
export function Welcome({ onChoose }: { onChoose: (folderId: string) => void }) {
  const { data: folders } = useFolders()
  const { data: models } = useModels()
  return (
    <div className="m-auto w-full max-w-3xl overflow-y-auto px-6 py-8">
      <h1 className="text-xl font-semibold tracking-tight">What would you like to know?</h1>
      <p className="mt-1 text-soft">
        {folders?.length === 0
          ? "Create a folder, drop documents into it, and ask. Everything stays on this computer."
          : "Pick a folder to get answers with citations from its documents, or just ask."}
      </p>
      {models?.chat === null && (
        <p className="mt-1 text-soft">
          There is no model yet, so answers are quoted passages.{" "}
          <Link href={routes.models} className="text-accent underline underline-offset-2">
            Get a model
          </Link>
        </p>
      )}
      <div className="mt-5 grid grid-cols-[repeat(auto-fill,minmax(12rem,1fr))] gap-2">
        {folders?.slice(0, shownFolders).map((folder) => (
          <button
            key={folder.id}
            type="button"
            title={folder.name}
            onClick={() => onChoose(folder.id)}
            className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 text-left transition-colors hover:border-line-strong hover:bg-hover"
          >
            <Folder className="size-4 shrink-0 text-faint" aria-hidden />
            <span className="min-w-0">
              <span className="block truncate text-sm font-medium">{folder.name}</span>
              <span className="block text-xs text-faint">{t("fileCount", { count: folder.fileCount })}</span>
            </span>
          </button>
        ))}
        <Link
          href={routes.newFolder}
          className="flex items-center gap-3 rounded-lg border border-dashed border-line-strong px-3 py-2.5 text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
        >
          <FolderPlus className="size-4 shrink-0" aria-hidden /> New folder
        </Link>
      </div>
    </div>
  )
}
