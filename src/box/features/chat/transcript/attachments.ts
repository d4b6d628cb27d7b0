import { lookup } from "mime-types"
import type { Attachment } from "../../../../shared/contract/chat.ts"
import { invalidField } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

/** A file in a chat's own folder. */
export interface ChatUpload {
  fileId: string
  name: string
  size: number
  createdAt: string
}

interface AttachmentRequest {
  uploads: readonly ChatUpload[]
  attachments: readonly string[] | null
}

/** Returns the uploads that belong to the newest message. `since` is when the previous message was stored. Throws `validation`. */
export function attachedTo(
  { uploads, attachments: wanted }: AttachmentRequest,
  since: string | null,
): Attachment[] {
  if (wanted?.some((id) => uploads.every(({ fileId }) => fileId !== id)) === true)
    throw invalidField("attachments", sentence("chat.own_attachments_only"))
  return uploads
    .filter(({ fileId, createdAt }) => wanted?.includes(fileId) ?? (since === null || createdAt > since))
    .map(({ fileId, name, size }) => {
      const mediaType = lookup(name)
      return { fileId, name, mediaType: mediaType === false ? "application/octet-stream" : mediaType, size }
    })
}
