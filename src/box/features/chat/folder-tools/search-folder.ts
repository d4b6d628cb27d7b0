import { z } from "zod"
import { defineTool, type Tool } from "../../../tools/tool.ts"
import { describeLocation } from "../../../../shared/words/location-words.ts"
import { sourceLink } from "../grounding/cite-passages.ts"
import {
  mark,
  type NumberedSource,
  fitRows,
  folderToolBase,
  noRoomError,
  reachedFolders,
  type FolderSession,
} from "./session.ts"

const maxPassages = 20

export const createSearchFolder = (session: () => FolderSession): Tool =>
  defineTool({
    ...folderToolBase,
    key: "searchFolder",
    description: "Searches the user's documents by other words. Cite by number.",
    args: z.object({
      query: z
        .string()
        .trim()
        .max(4_000)
        .refine((query) => query !== "", { error: "says nothing" }),
    }),
    async run({ query }, context) {
      const { engine, search, citations, boxAddress, room } = session()
      const folders = await reachedFolders(session(), context, undefined)
      const vectorIds = folders.map(({ id }) => id)
      if (vectorIds.length === 0) return { content: toResult([]) }
      const found = await search({ query, vectorIds, staysHere: await context.staysHere() })
      const pieces = found.results
        .slice(0, maxPassages)
        .map((passage) => ({ ...passage, url: sourceLink(boxAddress, passage) }))
      const numbered = citations.number(pieces)
      const shown = await fitRows(engine, room(), numbered, toResult)
      if (shown.length === 0 && numbered.length > 0) throw noRoomError()
      const parts = citations.add(shown).map((source) => ({ type: "source" as const, ...source }))
      return { content: toResult(shown), parts }
    },
  })

const toResult = (numbered: readonly NumberedSource[]) =>
  numbered.length === 0
    ? { passages: [], note: "Nothing matches. Other words may." }
    : { passages: numbered.map(toPassage) }

/** Passages that the model already has aren't repeated. */
const toPassage = ({ source, isNew }: NumberedSource) => ({
  cite: mark(source),
  file: source.fileName,
  fileId: source.fileId,
  place: describeLocation(source.location),
  text: isNew ? source.text : "As above.",
})
