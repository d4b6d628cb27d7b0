import { t } from "i18next"
import { useFolders } from "../../../../data/folders/folders.ts"
import { Note } from "../../../../ui/Note.tsx"

/** Warns that not all documents in the selected folders are available to answers yet. */
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
