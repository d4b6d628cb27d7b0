import type { api } from "../../../../shared/contract/api.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { createPartRedactor, readsFolders } from "../../../tools/withheld.ts"
import type { Caller } from "../../../http/caller.ts"
import type { Handlers } from "../../../http/serve.ts"
import type { Conversations } from "./service.ts"

const isText = ({ type }: { type: string }) => type === "text"

/** Returns messages without content that the caller's credential can't access. */
async function* shownMessages(
  caller: Caller,
  messages: AsyncIterable<StoredMessage>,
  hasReadFolders: boolean,
) {
  for await (const message of messages) {
    const shown = createPartRedactor(caller, hasReadFolders)
    const parts = message.parts.flatMap((part) => shown(part) ?? [])
    const isTextShown = parts.some(isText) || !message.parts.some(isText)
    const files = readsFolders(caller) ? {} : { askedFiles: null, attachments: null }
    yield { ...message, ...files, parts, content: isTextShown ? message.content : "" }
  }
}

export function conversationHandlers(conversations: Conversations): Handlers<typeof api.conversations> {
  return {
    list: ({ caller, query: { limit, offset, ...filter } }) =>
      conversations.list(caller.userId, { limit, offset }, filter),
    async read({ caller, params, query }) {
      const chat = await conversations.read(caller.userId, params.id, query.branch)
      const hasReadFolders =
        caller.scopes !== null && (await conversations.hasReadFolders(caller.userId, params.id))
      return { chat: { ...chat, messages: shownMessages(caller, chat.messages, hasReadFolders) } }
    },
    async update({ caller, params, body }) {
      // A project adds its instructions, folders and assistant to a chat's next questions.
      if (body.projectId !== undefined && caller.scopes !== null)
        throw new AppError("forbidden", sentence("projects.moving_needs_rights"))
      return { chat: await conversations.update(caller.userId, params.id, body) }
    },
    fork: async ({ caller, params, body }) => ({
      chat: await conversations.fork(caller.userId, params.id, body),
    }),
    async remove({ caller, params }) {
      const { undo } = await conversations.remove(caller.userId, [params.id])
      return { success: true, id: params.id, undo }
    },
    async removeSeveral({ caller, body }) {
      const { ids, undo } = await conversations.remove(caller.userId, body.ids)
      return { success: true, ids: [...ids], undo }
    },
    search: async ({ caller, query }) => ({
      results: await conversations.search(caller.userId, query.query, query.limit, readsFolders(caller)),
    }),
    async retrieval({ caller, params }) {
      if (!readsFolders(caller)) throw new AppError("forbidden", sentence("http.key_without_folders"))
      return { retrieval: await conversations.retrieval(caller.userId, params.id, params.messageId) }
    },
    async awaitedFiles({ caller, params }) {
      if (!readsFolders(caller)) throw new AppError("forbidden", sentence("http.key_without_folders"))
      return { state: await conversations.awaitedFiles(caller.userId, params.id, params.messageId) }
    },
    async folder({ caller, params, query, response }) {
      const { vector, made } = await conversations.folder(caller.userId, params.id, query.projectId)
      if (made) response.status(201)
      return { vector }
    },
  }
}
