import { t } from "i18next"
import { describeError, hasCode } from "../../../lib/box.ts"
import { getLastModified } from "../../../data/folders/files.ts"
import { uploadingClient } from "../../../lib/browser/uploading-client.ts"
import { createUploadQueue } from "./upload-queue.ts"

/** The page's uploads. */
export const uploads = createUploadQueue({
  upload: async (folderId, relativePath, file, onShare) => {
    const { files } = uploadingClient(onShare)
    const lastModified = getLastModified(file)
    await files.upload({ params: { id: folderId }, file, fileName: file.name, relativePath, lastModified })
  },
  describe: (error) =>
    error instanceof DOMException ? t("folders:upload.unreadable") : describeError(error),
  isTemporary: (error) => hasCode(error, "unavailable") || hasCode(error, "rate_limited"),
  pause: () => new Promise((resolve) => setTimeout(resolve, 2000)),
})
