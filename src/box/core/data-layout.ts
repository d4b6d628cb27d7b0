import { join } from "node:path"

/** Directories for uploaded files, one per folder the box made, named by its id. */
export const managedFoldersPath = (dataDir: string) => join(dataDir, "folders")
/** What API calls deleted or replaced, for 30 days. */
export const trashPath = (dataDir: string) => join(dataDir, "trash")
/** Uploads on their way; emptied at start. */
export const uploadsPath = (dataDir: string) => join(dataDir, "uploads")
/** Language files for OCR; people put further ones there. */
export const ocrLanguagesPath = (dataDir: string) => join(dataDir, "ocr-languages")
/** The box's log, five files at most. */
export const logsPath = (dataDir: string) => join(dataDir, "logs")
/** The search index; rebuilt from the database when it is missing or broken. */
export const indexPath = (dataDir: string) => join(dataDir, "index")
