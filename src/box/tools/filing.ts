import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { FilingDraft } from "../../shared/contract/filing.ts"
import { Visibility } from "../../shared/contract/folders.ts"
import type { Sentence } from "../../shared/sentences/sentence.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { defineTool, type ProposalContext, type Tool, type ToolContext, type ToolDefinition } from "./tool.ts"

/** Access to files and folders for the tools: those in the chat that belong to the user. */
export interface FilingDeps {
  /** Returns the ID of a file, given its ID, name or path. Throws `not_found`, or `validation` if several files match. */
  findFile(scope: FilingScope, named: string): Promise<string>
  /** Returns the ID of a folder, given its ID or name. Throws `not_found`, with the names of existing folders. */
  findFolder(scope: FilingScope, named: string): Promise<string>
  /** Describes what would be done, and who could then read the file. */
  describe(draft: FilingDraft, context: ProposalContext): Promise<{ summary: Sentence; readers: Visibility }>
  /** Throws the reason if it can't be done: `conflict` if more people could read the file than was shown. */
  file(
    draft: FilingDraft,
    context: ToolContext,
    readers: Visibility | undefined,
  ): Promise<{ filingId: string; done: string }>
}

/** Identifies the files that a call may concern. */
export type FilingScope = Pick<ToolContext, "userId" | "folderIds">

/** No further description, because every prompt contains each word of it. The draft validates the text. */
const Text = z.string()

/** Added by a proposal: who could read the file, as shown to the user who approved the call. */
const Shown = z.object({ readers: Visibility.optional() })

/** Properties shared by all filing tools. */
const filingToolBase = {
  key: "filing",
  effects: ["read", "write"],
  result: { trusted: false, private: true },
} as const satisfies Pick<ToolDefinition<never>, "key" | "effects" | "result">

/** Tools that rename, move, tag and annotate files in the user's own folders. Every change can be undone (docs/filing.md). */
export function createFilingTools(deps: FilingDeps): Tool[] {
  function define<Args extends { file: string; readers?: Visibility | undefined }>(
    name: string,
    description: string,
    args: z.ZodType<Args>,
    toDraft: (args: Args, fileId: string, scope: FilingScope) => Promise<FilingDraft> | FilingDraft,
    /** Returns the arguments with IDs instead of names. */
    resolveNames: (args: Args, draft: FilingDraft) => Args = (args, { fileId }) => ({
      ...args,
      file: fileId,
    }),
  ): Tool {
    async function getDraft(given: Args, scope: FilingScope): Promise<FilingDraft> {
      const draft = await toDraft(given, await deps.findFile(scope, given.file), scope)
      const parsed = FilingDraft.safeParse(draft)
      if (parsed.success) return parsed.data
      throw new AppError(
        "validation",
        sentence("tools.arguments_unfit", { what: z.prettifyError(parsed.error) }),
      )
    }
    return defineTool({
      ...filingToolBase,
      name,
      description,
      args,
      proposedArgs: args.and(Shown),
      proposal: async (given, context) => {
        const draft = await getDraft(given, context)
        const { summary, readers } = await deps.describe(draft, context)
        return { summary, args: { ...resolveNames(given, draft), readers } }
      },
      run: async (given, context) => ({
        content: await deps.file(await getDraft(given, context), context, given.readers),
      }),
    })
  }

  return [
    define(
      "renameFile",
      "Renames a file, by its id or name.",
      z.object({ file: Text, name: Text }),
      ({ name }, fileId) => ({ action: "rename", fileId, name }),
    ),
    define(
      "moveFile",
      "Moves one into another folder of this chat.",
      z.object({ file: Text, folder: Text, subFolder: Text.optional() }),
      async ({ folder, subFolder = "" }, fileId, scope) => ({
        action: "move",
        fileId,
        vectorId: await deps.findFolder(scope, folder),
        folder: subFolder,
      }),
      (args, { fileId, ...draft }) => ({
        ...args,
        file: fileId,
        ...("vectorId" in draft && { folder: draft.vectorId }),
      }),
    ),
    define(
      "tagFile",
      "Sets its tags.",
      z.object({ file: Text, tags: z.array(Text) }),
      ({ tags }, fileId) => ({ action: "tag", fileId, tags }),
    ),
    define(
      "writeNote",
      "Writes a Markdown file next to it.",
      z.object({ file: Text, text: Text, name: Text.optional() }),
      ({ text, name }, fileId) => ({ action: "note", fileId, content: text, ...(name && { name }) }),
    ),
  ]
}
