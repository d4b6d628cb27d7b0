import { t } from "i18next"
import { useFolders } from "../../../../data/folders.ts"
import { FolderIcon } from "../../../../ui/pictures/FolderIcon.tsx"
import type { MentionSource } from "./mention.ts"

/** `#folder` in a question: the folder is then among those that the answer may use. */
export function useFolderMentions(
  selected: string[],
  onChange: (folderIds: string[]) => void,
): MentionSource[] {
  const { data: folders = [] } = useFolders()
  return [
    {
      trigger: "#",
      title: t("chat:folders.mention"),
      options: folders.map((folder) => ({
        id: folder.id,
        name: folder.name,
        detail: t("fileCount", { count: folder.fileCount }),
        icon: <FolderIcon folder={folder} />,
      })),
      onChoose: ({ id }) => onChange(selected.includes(id) ? selected : [...selected, id]),
    },
  ]
}
