import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Bot, Layers, MessageSquare, TextSearch } from "lucide-react"
import { useLocation } from "wouter"
import type { FileFilter } from "../../../shared/contract/file-filter.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"
import { box } from "../../lib/box.ts"
import { useProjects } from "../../data/projects.ts"
import { isNarrowed, splitFolders } from "../../lib/file-filter.ts"
import { useDebounced } from "../../lib/debounced.ts"
import { useFolderHere } from "../../lib/navigation/open-document.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { FileGlyph } from "../../ui/pictures/FileGlyph.tsx"
import type { Command } from "./command.ts"

/** Maximum results per kind. */
const shown = 6
/** Maximum folders searched for files, and minimum search length. Each folder needs its own request. */
const searchedFolders = 20
const minSearchLength = 2
/** Passages are searched only after typing pauses, and only by words, so that no model has to be loaded. */
const passagePauseMs = 250
const maxPerPassage = 200

interface Found {
  /** Results whose name must match the search. */
  byName: Command[]
  /** Results whose content matches. */
  byText: Command[]
  searching: boolean
}

/** Returns the box's results for a search. Without a search text, returns the latest chats and all folders. */
export function useFoundCommands(search: string, filter: FileFilter): Found {
  const [, navigate] = useLocation()
  const settled = useDebounced(search, 80)
  const here = useFolderHere()
  // Put the folder on screen first.
  const folders = (useFolders().data ?? []).toSorted(
    (one, other) => Number(other.id === here) - Number(one.id === here),
  )
  const { data: projects = [] } = useProjects()
  const chats = useChats(settled)
  const messages = useMessages(settled)
  const assistants = useAssistants(settled)
  const searched = folders.slice(0, searchedFolders).map(({ id }) => id)
  const files = useFiles(settled, searched)
  const { filter: narrowing, folderIds = searched } = splitFolders(filter, folders)
  const passages = usePassages(useDebounced(search, passagePauseMs), folderIds, narrowing)
  const narrowed = isNarrowed(filter)
  const folderNames = new Map(folders.map(({ id, name }) => [id, name]))

  return {
    searching:
      settled !== search ||
      [chats, messages, assistants, files, passages].some(({ isFetching }) => isFetching),
    byName: [
      ...(chats.data ?? []).map(({ id, title }): Command => ({
        id: `chat ${id}`,
        group: "chats",
        name: title,
        icon: <MessageSquare aria-hidden />,
        run: () => navigate(routes.chat(id)),
      })),
      ...(assistants.data ?? []).map(({ id, name, handle }): Command => ({
        id: `assistant ${id}`,
        group: "assistants",
        name,
        detail: `@${handle}`,
        icon: <Bot aria-hidden />,
        run: () => navigate(routes.assistant(id)),
      })),
      ...projects.map(({ id, name }): Command => ({
        id: `project ${id}`,
        group: "projects",
        name,
        icon: <Layers aria-hidden />,
        run: () => navigate(routes.project(id)),
      })),
      ...folders.map((folder): Command => ({
        id: `folder ${folder.id}`,
        group: "folders",
        name: folder.name,
        icon: <FolderIcon folder={folder} />,
        run: () => navigate(routes.folder(folder.id)),
      })),
      ...(files.data ?? []).map(({ id, name, folderId }): Command => ({
        id: `file ${id}`,
        group: "files",
        name,
        detail: folderNames.get(folderId) ?? "",
        fileName: "name",
        icon: <FileGlyph name={name} />,
        run: () => navigate(routes.file(folderId, id)),
      })),
    ],
    byText: [
      ...(narrowed ? [] : (messages.data ?? [])).map(({ chatId, messageId, title, snippet }): Command => ({
        id: `message ${messageId}`,
        group: "messages",
        name: snippet.map(({ text }) => text).join(""),
        detail: title,
        icon: <TextSearch aria-hidden />,
        run: () => navigate(routes.chatMessage(chatId, messageId)),
      })),
      ...(passages.data ?? []).map(({ id, vectorId, fileId, fileName, text }): Command => ({
        id: `passage ${id}`,
        group: "passages",
        name: text.trim().slice(0, maxPerPassage),
        detail: fileName,
        fileName: "detail",
        icon: <FileGlyph name={fileName} />,
        run: () => navigate(routes.passage(vectorId, fileId, id)),
      })),
    ],
  }
}

const kept = { placeholderData: keepPreviousData }

const useChats = (search: string) =>
  useQuery({
    queryKey: ["conversations", "palette", search],
    queryFn: async ({ signal }) => {
      const query = { limit: shown, ...(search === "" ? {} : { search }) }
      return (await box.conversations.list({ query }, { signal })).chats
    },
    ...kept,
  })

const useMessages = (search: string) =>
  useQuery({
    queryKey: ["conversations", "palette-messages", search],
    queryFn: async ({ signal }) => {
      const { results } = await box.conversations.search(
        { query: { query: search, limit: shown } },
        { signal },
      )
      return results.flatMap((hit) => (hit.messageId === null ? [] : [{ ...hit, messageId: hit.messageId }]))
    },
    enabled: search.length >= minSearchLength,
  })

const useAssistants = (search: string) =>
  useQuery({
    queryKey: ["assistants", "palette", search],
    queryFn: async ({ signal }) => {
      const query = { limit: shown, ...(search === "" ? {} : { search }) }
      return (await box.assistants.list({ query }, { signal })).assistants
    },
    ...kept,
  })

const useFiles = (search: string, folderIds: string[]) =>
  useQuery({
    queryKey: ["palette-files", search, folderIds],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        folderIds.map(async (folderId) => {
          const input = { params: { id: folderId }, query: { search, limit: shown } }
          const { files } = await box.files.list(input, { signal })
          return files.map(({ id, name }) => ({ id, name, folderId }))
        }),
      )
      return lists.flat().slice(0, shown)
    },
    enabled: search.length >= minSearchLength,
  })

const usePassages = (search: string, folderIds: string[], filter: FileFilter) =>
  useQuery({
    queryKey: ["palette-passages", search, folderIds, filter],
    queryFn: async ({ signal }) => {
      const body = { query: search, vector: folderIds, topK: shown, strategy: "keyword" as const, filter }
      return (await box.folders.search({ body }, { signal })).results
    },
    enabled: search.length >= minSearchLength && folderIds.length > 0,
  })
