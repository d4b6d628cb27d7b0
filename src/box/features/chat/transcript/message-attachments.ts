import type { Transaction } from "kysely"
import { lookup } from "mime-types"
import type { Attachment } from "../../../../shared/contract/chat.ts"
import { invalidField } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DatabaseSchema } from "../../../core/database/database-schema.ts"

interface AttachmentRequest {
  ownerId: string
  chatId: string
  attachments: readonly string[] | null
  since: string | null
}

/** Files of the chat's own folder that belong to its newest message; `since` is when the one before was stored. Throws `validation`. */
export async function attachmentsOf(
  transaction: Transaction<DatabaseSchema>,
  { ownerId, chatId, attachments: wanted, since }: AttachmentRequest,
): Promise<Attachment[]> {
  const files = await transaction
    .selectFrom("files")
    .innerJoin("folders", "folders.id", "files.folderId")
    .select(["files.id as fileId", "files.name", "files.size", "files.createdAt"])
    .where("folders.ownerId", "=", ownerId)
    .where("folders.chatId", "=", chatId)
    .orderBy("files.id")
    .execute()
  if (wanted?.some((id) => files.every(({ fileId }) => fileId !== id)) === true)
    throw invalidField("attachments", sentence("chat.own_attachments_only"))
  return files
    .filter(({ fileId, createdAt }) => wanted?.includes(fileId) ?? (since === null || createdAt > since))
    .map(({ fileId, name, size }) => {
      const mediaType = lookup(name)
      return { fileId, name, mediaType: mediaType === false ? "application/octet-stream" : mediaType, size }
    })
}
