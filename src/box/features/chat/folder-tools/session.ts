import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { ToolContext } from "../../../tools/tool.ts"
import type { SearchFolders } from "../grounding/find-passages.ts"
import type { Citations } from "./citations.ts"
import type { FolderReading, ReachedFolder } from "./ports.ts"

/** State and dependencies of one answer's folder tools. */
export interface FolderSession {
  engine: Pick<ChatEngine, "countTokens">
  reading: FolderReading
  search: SearchFolders
  /** Folders that the user can currently access through the assistant, even if the user can't see them otherwise. */
  granted(): Promise<readonly string[]>
  citations: Citations
  boxAddress: string
  /** Tokens available for the next result. */
  room(): number
}

/** Returns the answer's folders that may be read now, or only the given one. Throws `not_found` for any other. */
export async function reachedFolders(
  session: FolderSession,
  context: Pick<ToolContext, "userId" | "folderIds" | "generated">,
  named: string | undefined,
): Promise<ReachedFolder[]> {
  const reached = await session.reading.reached(context, await session.granted())
  if (named === undefined) return reached
  const folder = reached.find(({ id }) => id === named)
  if (folder) return [folder]
  throw new AppError("not_found", sentence("tools.other_folder", { all: getNames(reached) }))
}

/** Lists the available folders for a model. */
export const getNames = (folders: readonly ReachedFolder[]): string =>
  folders.map(({ id, name }) => `${id} (${name})`).join("; ")

export const noRoomError = () => new AppError("unprocessable", sentence("tools.no_room"))
