import { t } from "i18next"
import { useState } from "react"
import type { AssistantEntry } from "../../../../../shared/contract/assistants.ts"
import { useMatchingFiles } from "../../../../data/folders/files.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import { useDebounced } from "../../../../lib/debounced.ts"
import { AssistantAvatar } from "../../../../ui/pictures/AssistantAvatar.tsx"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { FolderIcon } from "../../../../ui/pictures/FolderIcon.tsx"
import type { ChosenFile } from "../ChosenFiles.tsx"
import type { MentionSource } from "./mention.ts"

type Mentioned = Pick<AssistantEntry, "id" | "handle">

/** Returns the assistant whose `@handle` appears last in a question, as a separate word. */
export function mentionedAssistant<T extends Mentioned>(
  text: string,
  assistants: readonly T[],
): T | undefined {
  const handles = [...text.matchAll(/(?<![^\s(])@([a-z0-9]{1,120})(?![\p{L}\p{N}_@.-]*[\p{L}\p{N}_@-])/giu)]
  return handles
    .toReversed()
    .map(([, handle = ""]) => assistants.find((assistant) => assistant.handle === handle.toLowerCase()))
    .find((assistant) => assistant !== undefined)
}

/** `@handle` in a question selects the assistant that answers. Disabled assistants aren't offered. */
export const assistantMentions = (
  assistants: AssistantEntry[],
  onChoose: (assistantId: string) => void,
): MentionSource => ({
  trigger: "@",
  title: t("chat:assistant.mention"),
  options: assistants
    .filter(({ enabled }) => enabled)
    .map((assistant) => ({
      id: assistant.id,
      name: assistant.handle,
      detail: assistant.name,
      icon: <AssistantAvatar assistant={assistant} size="small" />,
    })),
  onChoose: ({ id }) => onChoose(id),
})

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
