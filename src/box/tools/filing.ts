import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { FilingDraft } from "../../shared/contract/filing.ts"
import { Visibility } from "../../shared/contract/folders.ts"
import type { Sentence } from "../../shared/sentences/sentence.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { defineTool, type ProposalContext, type Tool, type ToolContext, type ToolDefinition } from "./tool.ts"

/** What the tools need of files and folders: those of the conversation that are the user's own. */
export interface FilingDeps {
  /** Id of a file by its id, name or path. Throws `not_found`, and `validation` where several are called so. */
  findFile(scope: FilingScope, named: string): Promise<string>
  /** Id of a folder by its id or name. Throws `not_found`, which tells of those that there are. */
  findFolder(scope: FilingScope, named: string): Promise<string>
  /** What would be done, and who could then read it. */
  describe(draft: FilingDraft, context: ProposalContext): Promise<{ says: Sentence; readers: Visibility }>
  /** Throws why it can't be done: `conflict` if more people could read it than was shown. */
  file(
    draft: FilingDraft,
    context: ToolContext,
    readers: Visibility | undefined,
  ): Promise<{ filingId: string; done: string }>
}

/** Whose files a call may be about. */
export type FilingScope = Pick<ToolContext, "userId" | "folderIds">

/** Nothing more is said of texts: each word of a description stands in every prompt. What fits is checked by the draft. */
const Text = z.string()

/** What a proposal adds: who could read the file, by what the person saw who allowed the call. */
const Shown = z.object({ readers: Visibility.optional() })

/** What the tools of filing have in common. */
const ofFiling = {
  key: "filing",
  effects: ["read", "write"],
  result: { trusted: false, private: true },
} as const satisfies Pick<ToolDefinition<never>, "key" | "effects" | "result">

/** Files of the user's own folders get other names, places, tags and notes; each change can be undone (docs/filing.md). */
export function createFilingTools(deps: FilingDeps): Tool[] {
  function define<Args extends { file: string; readers?: Visibility | undefined }>(
    name: string,
    description: string,
    args: z.ZodType<Args>,
    toDraft: (args: Args, fileId: string, scope: FilingScope) => Promise<FilingDraft> | FilingDraft,
    /** The same with ids instead of names. */
    withIds: (args: Args, draft: FilingDraft) => Args = (args, { fileId }) => ({ ...args, file: fileId }),
  ): Tool {
    async function draftOf(given: Args, scope: FilingScope): Promise<FilingDraft> {
      const draft = await toDraft(given, await deps.findFile(scope, given.file), scope)
      const parsed = FilingDraft.safeParse(draft)
      if (parsed.success) return parsed.data
      throw new AppError(
        "validation",
        sentence("tools.arguments_unfit", { what: z.prettifyError(parsed.error) }),
      )
    }
    return defineTool({
      ...ofFiling,
      name,
      description,
      args,
      proposedArgs: args.and(Shown),
      proposal: async (given, context) => {
        const draft = await draftOf(given, context)
        const { says, readers } = await deps.describe(draft, context)
        return { says, args: { ...withIds(given, draft), readers } }
      },
      run: async (given, context) => ({
        content: await deps.file(await draftOf(given, context), context, given.readers),
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
      "Writes a Markdown file beside it.",
      z.object({ file: Text, text: Text, name: Text.optional() }),
      ({ text, name }, fileId) => ({ action: "note", fileId, content: text, ...(name && { name }) }),
    ),
  ]
}
