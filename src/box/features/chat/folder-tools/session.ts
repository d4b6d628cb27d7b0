import { z } from "zod"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { ToolContext, ToolDefinition } from "../../../tools/tool.ts"
import type { SearchFolders } from "../grounding/find-passages.ts"
import { resultText } from "../tool-calls/engine-messages.ts"
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

/** Returns the maximum number of rows, from the first, whose result fits the token limit; all rows if they fit. */
export async function fitRows<Row>(
  { countTokens }: Pick<ChatEngine, "countTokens">,
  room: number,
  rows: readonly Row[],
  toResult: (rows: readonly Row[]) => unknown,
): Promise<readonly Row[]> {
  let fitting = rows
  while (fitting.length > 0) {
    const tokens = await countTokens(resultText(toResult(fitting)))
    if (tokens <= room) return fitting
    fitting = fitting.slice(0, Math.min(fitting.length - 1, Math.floor(fitting.length * (room / tokens))))
  }
  return fitting
}

/** Common properties of folder tools: they only read, their results may be written by anyone, and they are private. */
export const folderToolBase = {
  effects: ["read"],
  result: { trusted: false, private: true },
} as const satisfies Pick<ToolDefinition<never>, "effects" | "result">

/** An id that the model received. It has no description, because every word of one is part of every prompt. */
export const ReceivedId = z.string().max(100)
