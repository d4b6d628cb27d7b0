import { t } from "i18next"
import { Plus } from "lucide-react"
import { Link } from "wouter"
import { useFolders } from "../data/folders.ts"
import { FolderIcon } from "../ui/pictures/FolderIcon.tsx"
import { routes } from "../lib/places/routes.ts"
import { SidebarGroup } from "./SidebarGroup.tsx"
import { SidebarLink } from "./SidebarLink.tsx"

const shownFolders = 6

/** The first folders, and the way to all of them. */
export function SidebarFolders() {
  const { data: folders = [] } = useFolders()
  return (
    <SidebarGroup
      name="folders"
      title={t("frame:folders")}
      initiallyOpen
      action={
        <Link
          href={routes.newFolder}
          aria-label={t("frame:newFolder")}
          title={t("frame:newFolder")}
          className="mr-0.5 inline-flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
        >
          <Plus className="size-4" aria-hidden />
        </Link>
      }
    >
      {folders.slice(0, shownFolders).map((folder) => (
        <SidebarLink
          key={folder.id}
          href={routes.folder(folder.id)}
          icon={<FolderIcon folder={folder} />}
          title={folder.name}
        >
          {folder.name}
          {folder.pendingCount > 0 && (
            <>
              <span
                className="ml-2 inline-block size-1.5 animate-pulse rounded-full bg-accent align-middle"
                aria-hidden
              />
              <span className="sr-only"> {t("frame:folderPending")}</span>
            </>
          )}
        </SidebarLink>
      ))}
      <Link
        href={routes.folders}
        className="flex h-8 items-center rounded-md px-2 text-sm text-faint hover:bg-hover hover:text-ink"
      >
        {folders.length > shownFolders
          ? t("frame:allFoldersCount", { count: folders.length })
          : t("frame:allFolders")}
      </Link>
    </SidebarGroup>
  )
}
