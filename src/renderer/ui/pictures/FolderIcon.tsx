import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { classNames } from "../class-names.ts"
import { folderIcons, isFolderIcon } from "./folder-icons.ts"

interface FolderIconProps {
  folder: Pick<FolderEntry, "iconName" | "accentColor">
  className?: string
}

/** A folder's icon in its colour. An unknown icon is shown as a folder. */
export function FolderIcon({ folder: { iconName, accentColor }, className }: FolderIconProps) {
  const Icon = folderIcons[isFolderIcon(iconName) ? iconName : "Folder"]
  return (
    <Icon
      className={classNames("shrink-0", className ?? "size-4", accentColor === undefined && "text-faint")}
      // Colours are chosen on white, so they are lightened on dark backgrounds.
      style={{
        color: accentColor && `light-dark(${accentColor}, color-mix(in oklab, ${accentColor} 70%, white))`,
      }}
      aria-hidden
    />
  )
}
