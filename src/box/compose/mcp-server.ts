import { generatedIn } from "../core/files/generated-files.ts"
import { lazy } from "../core/lazy.ts"
import { sourceLink } from "../features/chat/grounding/cite-passages.ts"
import type { Accounts } from "./accounts.ts"
import type { Chat } from "./chat.ts"
import type { Base } from "./compose-options.ts"
import type { composeQuestions } from "./questions.ts"
import type { Library } from "./library/library.ts"

/** More than a user can have. */
const maxAssistants = 10_000

/** The box's tools for MCP clients; created with the first message. */
export const composeMcpServer = (
  { version, logger }: Base,
  { notifications }: Pick<Accounts, "notifications">,
  { access, folders, files }: Pick<Library, "access" | "folders" | "files">,
  { chat, assistants }: Pick<Chat, "chat" | "assistants">,
  questions: ReturnType<typeof composeQuestions>,
) =>
  lazy(async () => {
    const { createMcpServer } = await import("../features/mcp-server/service.ts")
    const getGenerated = async (folderId: string) => generatedIn((await access.named([folderId]))[0], [])
    return createMcpServer({
      version,
      logger,
      folders: async (userId) => (await folders.list(userId)).vectors,
      files: async (userId, folderId, query) =>
        files.list(userId, folderId, { ...query, generated: await getGenerated(folderId) }),
      getFolder: files.getFolder,
      file: async (userId, folderId, fileId) =>
        files.read(userId, folderId, fileId, await getGenerated(folderId)),
      text: async (userId, folderId, fileId) =>
        files.text(userId, folderId, fileId, await getGenerated(folderId)),
      search: folders.search,
      link: sourceLink,
      async assistantId(userId, named) {
        const all = await assistants.list(userId, { limit: maxAssistants, offset: 0 })
        const wanted = named.replace(/^@/, "").toLowerCase()
        const by = (of: (one: (typeof all.assistants)[number]) => string) =>
          all.assistants.find((one) => of(one).toLowerCase() === wanted)
        const found = by(({ id }) => id) ?? by(({ handle }) => handle) ?? by(({ name }) => name)
        return found?.id ?? null
      },
      ask: (caller, request) => chat.send(caller, request),
      async notify(userId, draft) {
        const { notification, delivered } = await notifications.send(userId, draft, { userId })
        return { id: notification.id, delivered }
      },
      askPerson: async (caller, draft) => (await questions.get()).ask(caller, draft),
      question: async (...which) => (await questions.get()).read(...which),
    })
  })
