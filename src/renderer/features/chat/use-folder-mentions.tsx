import { t } from "i18next"
import { Folder } from "lucide-react"
import { useFolders } from "../../data/folders.ts"
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
      options: folders.map(({ id, name, fileCount }) => ({
        id,
        name,
        detail: t("fileCount", { count: fileCount }),
        icon: <Folder aria-hidden />,
      })),
      onChoose: ({ id }) => onChange(selected.includes(id) ? selected : [...selected, id]),
    },
  ]
}
