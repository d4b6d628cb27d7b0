import { t } from "i18next"
import { Plus } from "lucide-react"
import { Link } from "wouter"
import { useFolders } from "../../data/folders/folders.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { FolderLink } from "./FolderLink.tsx"
import { SidebarGroup } from "./SidebarGroup.tsx"

const shownFolders = 6

/** The first folders, with a link to all of them. */
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
        <FolderLink key={folder.id} folder={folder} />
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
