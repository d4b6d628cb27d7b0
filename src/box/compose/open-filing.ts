import { timestamp } from "../core/ids.ts"
import { createCallHistory } from "../features/filing/history.ts"
import { createNamedFiles } from "../features/filing/named-files.ts"
import { createFilings } from "../features/filing/service.ts"
import { countNamed } from "../features/folders/owned-folders.ts"
import { bytesAsUpload } from "../features/files/disk/uploads.ts"
import { getPath } from "../features/files/file-entry.ts"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { FilingDraft } from "../../shared/contract/filing.ts"
import type { Visibility } from "../../shared/contract/folders.ts"
import type { ProposalContext, ToolContext } from "../tools/tool.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"
import type { Library } from "./library/library.ts"

/** Opens filing; loaded when someone files something. */
export async function openFiling(
  { database: { db }, logger }: Base,
  { people }: Pick<Accounts, "people">,
  { access, files }: Pick<Library, "access" | "files">,
) {
  const staysHere = async (folderId: string) => (await access.staying([folderId])).length > 0
  const { getName } = people
  const named = createNamedFiles(access, files)
  const filings = createFilings({
    db,
    logger,
    folder: (folderId) => access.listed(folderId),
    countNamed: (ownerId, name) => countNamed(db, ownerId, name),
    staysHere,
    getName,
    files: {
      getFolder: files.getFolder,
      read: files.read,
      move: files.move,
      completeMove: files.completeMove,
      tag: files.tag,
      remove: files.remove,
      async write(ownerId, folderId, { path, text, generatedBy }, also) {
        const receive = bytesAsUpload(path.split("/").at(-1) ?? "", Buffer.from(text), { relativePath: path })
        const more = { generatedBy: generatedBy && JSON.stringify(generatedBy) }
        await files.upload(ownerId, folderId, receive, more, also)
      },
    },
  })

  const calls = createCallHistory(
    db,
    getName,
    async (folderId) => (await access.listed(folderId))?.name ?? "",
  )

  /** Refuses to file content that must stay on this computer in a location from which it may leave. */
  async function requireToStay(draft: FilingDraft, chat: Pick<ToolContext, "staysHere">): Promise<void> {
    if (!(await chat.staysHere())) return
    const into = draft.action === "move" ? draft.vectorId : await files.getFolder(draft.fileId)
    if (into === null || !(await staysHere(into)))
      throw new AppError("forbidden", sentence("filing.chat_stays_here"))
  }

  return {
    filings,
    recordDecision: calls.recordDecision,
    ...named,

    async describeForModel(draft: FilingDraft, context: ProposalContext) {
      const { userId, chatId, toolCallId, isAsked } = context
      await requireToStay(draft, context)
      const described = await filings.describe(userId, draft)
      if (isAsked) await calls.recordProposal({ ownerId: userId, chatId, toolCallId }, draft, timestamp())
      return described
    },

    /** Performs a model's filing. */
    async fileForModel(draft: FilingDraft, context: ToolContext, readers: Visibility | undefined) {
      const { userId, chatId, messageId, toolCallId, author = unknownAuthor } = context
      await requireToStay(draft, context)
      const key = `${messageId}/${toolCallId}`
      const { filing } = await filings.file(userId, draft, { chatId, key, author, readers })
      const { became: after, action } = filing
      const done =
        action === "tag" ? after.tags.join(", ") : getPath({ subFolder: after.folder, name: after.name })
      return { filingId: filing.id, done }
    },
  }
}

const unknownAuthor = { assistantId: null, modelId: null }
