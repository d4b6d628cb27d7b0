import { t } from "i18next"
import { createClient } from "../../../shared/client/http-client.ts"
import { describeError, hasCode } from "../../lib/box.ts"
import { sendWithProgress } from "./send-with-progress.ts"
import { createUploadQueue } from "./upload-queue.ts"

/** The page's uploads. */
export const uploads = createUploadQueue({
  upload: async (folderId, relativePath, file, onShare) => {
    const fetch = (url: string, init: RequestInit) => sendWithProgress(url, init, onShare)
    const { files } = createClient({ baseUrl: "", fetch })
    await files.upload({ params: { id: folderId }, file, fileName: file.name, relativePath })
  },
  describe: (error) =>
    error instanceof DOMException ? t("folders:upload.unreadable") : describeError(error),
  isTemporary: (error) => hasCode(error, "unavailable") || hasCode(error, "rate_limited"),
  pause: () => new Promise((resolve) => setTimeout(resolve, 2000)),
})
