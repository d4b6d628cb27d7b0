import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { ToolContext } from "../../../tools/tool.ts"
import type { SearchFolders } from "../grounding/find-passages.ts"
import type { Citations } from "./citations.ts"
import type { FolderReading, ReachedFolder } from "./ports.ts"

/** What the folder tools of one answer work with. */
export interface FolderSession {
  engine: Pick<ChatEngine, "countTokens">
  reading: FolderReading
  search: SearchFolders
  /** Folders that the user currently reaches through the assistant, even if the user can't see them otherwise. */
  granted(): Promise<readonly string[]>
  citations: Citations
  boxAddress: string
  /** Tokens that the next result may have. */
  room(): number
}

/** The answer's folders that may be read now; the one that is named, where one is. Throws `not_found` for any other. */
export async function reachedFolders(
  session: FolderSession,
  context: Pick<ToolContext, "userId" | "folderIds" | "generated">,
  named: string | undefined,
): Promise<ReachedFolder[]> {
  const reached = await session.reading.reached(context, await session.granted())
  if (named === undefined) return reached
  const folder = reached.find(({ id }) => id === named)
  if (folder) return [folder]
  throw new AppError("not_found", sentence("tools.other_folder", { all: namesOf(reached) }))
}

/** Folders as a model is told which there are. */
export const namesOf = (folders: readonly ReachedFolder[]): string =>
  folders.map(({ id, name }) => `${id} (${name})`).join("; ")

export const noRoom = () => new AppError("unprocessable", sentence("tools.no_room"))
