import type { ReadingEstimateRequest } from "../../../../../shared/contract/chat.ts"
import type { Choices } from "./use-choices.ts"

/** The content that would be read for the next question. */
export const createEstimateRequest = (
  chatId: string,
  { folderIds, files, assistantId, model }: Choices,
): ReadingEstimateRequest => ({
  id: chatId,
  vector: folderIds,
  assistantId,
  modelId: model?.id ?? null,
  ...(files.length > 0 && { fileIds: files.map(({ fileId }) => fileId) }),
})
