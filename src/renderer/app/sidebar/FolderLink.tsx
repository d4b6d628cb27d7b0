import { t } from "i18next"
import type { ReactNode } from "react"
import { CircleAlert, LoaderCircle, Unplug } from "lucide-react"
import type { useFolders } from "../../data/folders/folders.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"
import { PinButton } from "./PinButton.tsx"
import { SidebarLink } from "./SidebarLink.tsx"

type Folder = NonNullable<ReturnType<typeof useFolders>["data"]>[number]

/** A link to a folder with the state of its files: missing, some failed, or being read. */
export function FolderLink({ folder }: { folder: Folder }) {
  return (
    <SidebarLink
      href={routes.folder(folder.id)}
      icon={<FolderIcon folder={folder} />}
      title={folder.name}
      end={<FolderMark folder={folder} />}
      action={<PinButton kind="folder" id={folder.id} name={folder.name} />}
    >
      {folder.name}
    </SidebarLink>
  )
}

function FolderMark({ folder: { missing, failedCount, pendingCount } }: { folder: Folder }) {
  if (missing)
    return <Mark icon={<Unplug className="text-warning" aria-hidden />} text={t("frame:folderMissing")} />
  if (failedCount > 0) {
    const text = t("frame:folderFailed", { count: failedCount })
    return <Mark icon={<CircleAlert className="text-danger" aria-hidden />} text={text} />
  }
  if (pendingCount > 0) {
    const icon = <LoaderCircle className="animate-spin text-faint" aria-hidden />
    return <Mark icon={icon} text={t("frame:folderPending")} />
  }
  return null
}

const Mark = ({ icon, text }: { icon: ReactNode; text: string }) => (
  <span title={text} className="ml-auto inline-flex shrink-0 [&_svg]:size-3.5">
    {icon}
    <span className="sr-only">{text}</span>
  </span>
)
