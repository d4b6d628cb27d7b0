import { t } from "i18next"
import { type ReactNode, useState } from "react"
import type { AssistantEntry } from "../../../../../shared/contract/assistants.ts"
import { useMatchingFiles } from "../../../../data/folders/files.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import { useDebounced } from "../../../../lib/debounced.ts"
import { AssistantAvatar } from "../../../../ui/pictures/AssistantAvatar.tsx"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { FolderIcon } from "../../../../ui/pictures/FolderIcon.tsx"
import type { ChosenFile } from "../ChosenFiles.tsx"

/** Something that can be mentioned in a question. */
export interface MentionOption {
  id: string
  name: string
  /** A few words shown next to the name. */
  detail?: string
  icon: ReactNode
}

/** A list that opens for a trigger character in a question. */
export interface MentionSource {
  /** The character, such as "#". */
  trigger: string
  /** The title of the list. */
  title: string
  options: MentionOption[]
  onChoose: (option: MentionOption) => void
  /** Called with the text after the trigger, or undefined when no mention is open. For options that must be searched for. */
  onQuery?: (query: string | undefined) => void
}

/** A mention being typed, from its trigger to the caret. */
export interface OpenMention {
  trigger: string
  start: number
  query: string
}

const maxNameLength = 120
const maxOffered = 8

/** Returns the mention that ends at the caret. Its trigger must start a word, and no space may follow the trigger. */
export function mentionAt(text: string, caret: number, triggers: readonly string[]): OpenMention | undefined {
  const earliest = Math.max(0, caret - maxNameLength)
  for (let start = caret - 1; start >= earliest; start--) {
    const character = text.charAt(start)
    if (character === "\n") return undefined
    if (!triggers.includes(character)) continue
    const query = text.slice(start + 1, caret)
    const isWordStart = start === 0 || /[\s(]/.test(text.charAt(start - 1))
    return isWordStart && !/^[\s#]/.test(query) ? { trigger: character, start, query } : undefined
  }
  return undefined
}

/** Returns the options that match the typed text. Names that start with it come first. */
export function matchingOptions(options: readonly MentionOption[], query: string): MentionOption[] {
  const wanted = fold(query)
  const matchIndex = ({ name }: MentionOption) => fold(name).indexOf(wanted)
  return options
    .filter((option) => matchIndex(option) >= 0)
    .toSorted((a, b) => Math.sign(matchIndex(a)) - Math.sign(matchIndex(b)))
    .slice(0, maxOffered)
}

/** Returns the text with the completed mention, and the new caret position. */
export function completeMention(
  text: string,
  { trigger, start, query }: OpenMention,
  name: string,
): { text: string; caret: number } {
  const written = `${trigger}${name} `
  const rest = text.slice(start + 1 + query.length).replace(/^ /, "")
  return { text: text.slice(0, start) + written + rest, caret: start + written.length }
}

const fold = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{Diacritic}/gu, "")
    .toLowerCase()

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
