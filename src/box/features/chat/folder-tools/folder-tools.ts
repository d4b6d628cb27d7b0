import type { Tool } from "../../../tools/tool.ts"
import { createListFiles } from "./list-files.ts"
import type { FolderReading, FolderSession } from "./session.ts"
import { createQueryTable } from "./query-table.ts"
import { createReadFile } from "./read-file.ts"
import { createSearchFolder } from "./search-folder.ts"

/**
 * Tools with which a model can examine folders further after reading the initial passages. Their descriptions are the same for all folders,
 * so that they can be evaluated in advance; `session` is called when a tool is used.
 */
export const createFolderTools = ({ tables }: FolderReading, session: () => FolderSession): Tool[] => [
  createSearchFolder(session),
  createListFiles(session),
  createReadFile(session),
  createQueryTable(session, tables),
]
