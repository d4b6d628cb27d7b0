import { useState } from "react"
import type { AssistantEntry } from "../../../../../shared/contract/assistants.ts"
import type { Reading } from "../../../../../shared/contract/chat.ts"
import type { FileFilter } from "../../../../../shared/contract/file-filter.ts"
import { useAssistants } from "../../../../data/assistants.ts"
import { useAnsweringModels, type AnsweringModel, useModels } from "../../../../data/models/models.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import { assistantMentions, useFolderMentions, type MentionSource } from "../mentions/mention-sources.tsx"
import { useAdoptedFolder, useAttachments } from "../attachments/attachments.ts"
import type { ChosenFile } from "../ChosenFiles.tsx"
import { useReading, usualFolders } from "./remembered-choices.ts"

/** The assistant for the next question, and the folders it searches. */
export interface Choices {
  assistants: AssistantEntry[] | undefined
  assistant: AssistantEntry | undefined
  /** The assistant ID to send, even if the assistant isn't in the list yet. */
  assistantId: string | null
  folderIds: string[]
  /** The files to which the question is limited, in place of whole folders. Empty means all files. */
  files: ChosenFile[]
  /** Narrows the files of the folders. */
  filter: FileFilter
  /** Whether the user changed the filter, which the latest question had. */
  hasChosenFilter: boolean
  /** Undefined until they are requested. */
  models: AnsweringModel[] | undefined
  /** The model selected for the next question; undefined means the assistant's or the default model. */
  model: AnsweringModel | undefined
  /** The model that will answer; undefined while loading or if there is none. */
  answering: AnsweringModel | undefined
  /** How much of the documents is read; undefined if the question is about none. */
  reading: Reading | undefined
  /** Keys of the tools that may be used if no assistant answers. */
  tools: string[]
  /** Mentions that select something while typing. */
  mentions: MentionSource[]
  chooseAssistant: (assistantId: string | null) => void
  chooseFolders: (folderIds: string[]) => void
  chooseFiles: (files: ChosenFile[]) => void
  chooseFilter: (filter: FileFilter) => void
  chooseModel: (modelId: string | null) => void
  chooseReading: (reading: Reading) => void
  chooseTools: (tools: string[]) => void
  requestModels: () => void
}

const noFilter: FileFilter = {}

interface Chosen {
  assistantId: string | null | undefined
  folderIds: string[] | undefined
  files: ChosenFile[] | undefined
  filter?: FileFilter | undefined
  modelId?: string | null | undefined
  builtInTools?: Record<string, boolean> | undefined
}

/**
 * Starts with the selection `initialChoices`. Until the user selects something, the chat's latest question decides. A new chat without an
 * assistant uses the folders of the last question in any chat.
 */
export function useChoices(chatId: string, isNew: boolean, initialChoices: Chosen, latest: Chosen): Choices {
  const { data: folders } = useFolders()
  const { data: assistants } = useAssistants()
  const [chosenFolders, chooseFolders] = useState(initialChoices.folderIds)
  const [chosenFiles, chooseFiles] = useState(initialChoices.files)
  const [chosenFilter, chooseFilter] = useState<FileFilter>()
  const [chosenAssistant, chooseAssistant] = useState(initialChoices.assistantId)
  const [chosenModel, chooseModel] = useState(initialChoices.modelId)
  const modelId = chosenModel === undefined ? latest.modelId : chosenModel
  const [chosenTools, chooseTools] = useState<string[]>()
  const [wantsModels, setWantsModels] = useState(false)
  const isListed = (id: string) => !folders || folders.some((folder) => folder.id === id)
  useAdoptedFolder(
    chatId,
    latest.folderIds?.find((id) => !isListed(id)),
  )
  const first = isNew && (chosenAssistant ?? null) === null ? usualFolders(folders) : []
  const folderIds = (chosenFolders ?? latest.folderIds ?? first).filter(isListed)

  // Deselecting a folder also deselects its files.
  const files = (chosenFiles ?? latest.files ?? []).filter(({ vectorId }) => folderIds.includes(vectorId))

  const wantedId = chosenAssistant === undefined ? latest.assistantId : chosenAssistant
  const assistant = assistants?.find(({ id }) => id === wantedId)
  const answeringId = modelId ?? assistant?.modelId ?? null
  const { data: state } = useModels()
  const mayLeave = folderIds.length > 0 && state?.chat?.kind === "remote"
  const { data: models } = useAnsweringModels(wantsModels || answeringId !== null || mayLeave)
  const assistantId = assistant?.id ?? (assistants ? null : (wantedId ?? null))
  const mentions = [
    useFolderMentions({ folderIds, files, chooseFolders, chooseFiles }),
    assistantMentions(assistants ?? [], chooseAssistant),
  ]
  const { uploads, files: attached } = useAttachments(chatId)
  const [reading, chooseReading] = useReading(chatId)
  const hasDocuments =
    folderIds.length + (assistant?.vectorIds.length ?? 0) + uploads.length + attached.length > 0
  const latestTools = Object.entries(latest.builtInTools ?? {}).flatMap(([key, on]) => (on ? [key] : []))
  const model = models?.find(({ id }) => id === modelId)
  return {
    assistants,
    assistant,
    assistantId,
    folderIds,
    files,
    filter: chosenFilter ?? latest.filter ?? noFilter,
    hasChosenFilter: chosenFilter !== undefined,
    models,
    model,
    answering: models?.find(({ id }) => id === answeringId) ?? models?.[0],
    reading: hasDocuments ? reading : undefined,
    tools: chosenTools ?? latestTools,
    mentions,
    chooseAssistant,
    chooseFolders,
    chooseFiles,
    chooseFilter,
    chooseModel,
    chooseReading,
    chooseTools,
    requestModels: () => setWantsModels(true),
  }
}
