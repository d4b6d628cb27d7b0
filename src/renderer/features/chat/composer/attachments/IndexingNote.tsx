import { t } from "i18next"
import { useFolders } from "../../../../data/folders/folders.ts"
import { Note } from "../../../../ui/Note.tsx"

/** Says that answers can't rest on all documents of the chosen folders yet. */
export function IndexingNote({ folderIds }: { folderIds: string[] }) {
  const { data: folders = [] } = useFolders()
  const count = folders
    .filter(({ id }) => folderIds.includes(id))
    .reduce((sum, { pendingCount }) => sum + pendingCount, 0)
  if (count === 0) return null
  return (
    <output className="mb-2 block px-1">
      <Note kind="quiet">{t("chat:folders.pending", { count })}</Note>
    </output>
  )
}
