import { box, describeError, hasCode } from "../../lib/box.ts"
import { createUploadQueue } from "./upload-queue.ts"

/** The page's uploads. */
export const uploads = createUploadQueue({
  upload: async (folderId, relativePath, file) => {
    await box.files.upload({ params: { id: folderId }, file, fileName: file.name, relativePath })
  },
  describe: (error) =>
    error instanceof DOMException
      ? "This computer wouldn’t let the page read the file."
      : describeError(error),
  isTemporary: (error) => hasCode(error, "unavailable") || hasCode(error, "rate_limited"),
  pause: () => new Promise((resolve) => setTimeout(resolve, 2000)),
})
