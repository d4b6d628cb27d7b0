import { t } from "i18next"
import { useState } from "react"
import { useMatchingFiles } from "../../../../data/folders/files.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import { useDebounced } from "../../../../lib/debounced.ts"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { FolderIcon } from "../../../../ui/pictures/FolderIcon.tsx"
import type { ChosenFile } from "../chosen-file.ts"
import type { MentionSource } from "./mention.ts"

interface FolderMentions {
  folderIds: string[]
  files: ChosenFile[]
  chooseFolders: (folderIds: string[]) => void
  chooseFiles: (files: ChosenFile[]) => void
}

/** Maximum folders searched for files if no folder is selected. */
const maxSearched = 10

/** `#folder` or `#file` in a question. A folder is added to those the answer may use; a file limits the question to itself. */
export function useFolderMentions({ folderIds, files, ...choose }: FolderMentions): MentionSource {
  const { data: folders = [] } = useFolders()
  const [query, setQuery] = useState<string>()
  const wanted = useDebounced(query)
  const searched = folderIds.length > 0 ? folderIds : folders.slice(0, maxSearched).map(({ id }) => id)
  const found = useMatchingFiles(wanted === undefined ? [] : searched, wanted ?? "") ?? []

  function add(vectorId: string) {
    if (!folderIds.includes(vectorId)) choose.chooseFolders([...folderIds, vectorId])
  }

  return {
    trigger: "#",
    title: t("chat:folders.mention"),
    options: [
      ...folders.map((folder) => ({
        id: folder.id,
        name: folder.name,
        detail: t("fileCount", { count: folder.fileCount }),
        icon: <FolderIcon folder={folder} />,
      })),
      ...found.map(({ id, name, vectorId }) => ({
        id,
        name,
        detail: folders.find((folder) => folder.id === vectorId)?.name ?? "",
        icon: <FileGlyph name={name} />,
      })),
    ],
    onQuery: setQuery,
    onChoose({ id }) {
      const file = found.find((one) => one.id === id)
      add(file?.vectorId ?? id)
      if (file && !files.some(({ fileId }) => fileId === id))
        choose.chooseFiles([...files, { fileId: id, vectorId: file.vectorId, name: file.name }])
    },
  }
}
