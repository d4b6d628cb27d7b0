import type { Tool } from "../../../tools/tool.ts"
import { createListFiles } from "./list-files.ts"
import type { FolderReading } from "./ports.ts"
import { createQueryTable } from "./query-table.ts"
import { createReadFile } from "./read-file.ts"
import { createSearchFolder } from "./search-folder.ts"
import type { FolderSession } from "./session.ts"

/**
 * What a model may look further into folders by, once it has read the passages that were found for it. Their descriptions are the
 * same for all folders, so that they can be read ahead; `session` is asked for when one is called.
 */
export const createFolderTools = ({ tables }: FolderReading, session: () => FolderSession): Tool[] => [
  createSearchFolder(session),
  createListFiles(session),
  createReadFile(session),
  createQueryTable(session, tables),
]
