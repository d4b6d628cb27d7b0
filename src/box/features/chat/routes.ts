import type { Response } from "express"
import type { api } from "../../../shared/contract/api.ts"
import type { StoredMessage } from "../../../shared/contract/conversations.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { openEventStream } from "../../http/answers/event-stream.ts"
import { sendFile } from "../../http/answers/send-file.ts"
import { type Caller, requireFullRights } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { createPartRedactor, redactOrigin, readsFolders } from "../../tools/withheld.ts"
import type { Conversations } from "./conversations/service.ts"
import type { ChatImports } from "./import/service.ts"
import type { Chat } from "./service.ts"
import type { Run } from "./streams/runs.ts"

/** `stopQueue` keeps a chat's queued questions before its answer is stopped. */
export function chatHandlers(
  chat: Chat,
  stopQueue: (userId: string, chatId: string) => Promise<void>,
): Handlers<typeof api.chat> {
  return {
    async send({ caller, body, response }) {
      await follow(chat, await chat.send(caller, body), { caller, response })
    },

    async prepare({ caller, body }) {
      await chat.prepare(caller, body)
      return { success: true }
    },

    estimateReading: ({ caller, body }) => chat.estimateReading(caller, body),

    async attach({ caller, params, request, response }) {
      const lastEventId = request.get("last-event-id")
      await follow(chat, chat.attach(caller.userId, params.chatId), { caller, lastEventId, response })
    },

    async stop({ caller, params }) {
      await stopQueue(caller.userId, params.chatId)
      const success = await chat.stop(caller.userId, params.chatId)
      return {
        success,
        message: success ? "The stream was stopped." : "No active stream was found for this chat.",
      }
    },

    status: ({ caller, params }) => chat.status(caller.userId, params.chatId),

    async activity({ caller }) {
      const { answering, approvals } = await chat.activity(caller.userId, readsFolders(caller))
      return { answering, approvals: approvals.map((approval) => redactOrigin(approval, caller)) }
    },

    async approvals({ caller, params }) {
      const waiting = await chat.approvals.waiting(caller.userId, params.chatId)
      return { approvals: waiting.map((approval) => redactOrigin(approval, caller)) }
    },

    async approve({ caller, params, body }) {
      const { chatId, toolCallId } = params
      return { success: true, ...(await chat.approvals.decide(caller, chatId, toolCallId, body)) }
    },

    async file({ caller, params, request, response }) {
      await sendFile(request, response, await chat.openFile(caller, params.id, params.fileId))
    },
  }
}

/** Sends a run's events as fast as the client accepts them. The rest stays in the run's log. */
async function follow(
  chat: Pick<Chat, "hasReadFolders">,
  run: Run,
  { caller, lastEventId, response }: { caller: Caller; lastEventId?: string | undefined; response: Response },
): Promise<void> {
  const hasReadFolders = caller.scopes !== null && (await chat.hasReadFolders(run.ownerId, run.chatId))
  const stream = openEventStream(response)
  const shown = createPartRedactor(caller, hasReadFolders)
  // Filtering depends on earlier events, even if the client resumes in the middle of the stream.
  for (const event of run.events) shown(event)
  for await (const { id, event } of run.follow(lastEventId, stream.closed)) {
    const visible = shown(event)
    if (visible === null) continue
    await stream.send(visible, id)
  }
  stream.end()
}

const isText = ({ type }: { type: string }) => type === "text"

/** Returns messages without content that the caller's credential can't access. */
async function* shownMessages(
  caller: Caller,
  messages: AsyncIterable<StoredMessage>,
  hasReadFolders: boolean,
  hideNames: (text: string) => string,
) {
  for await (const message of messages) {
    const shown = createPartRedactor(caller, hasReadFolders)
    const isQuestion = message.role === "user"
    const parts = message.parts
      .flatMap((part) => shown(part) ?? [])
      .map((part) => (isQuestion && part.type === "text" ? { ...part, text: hideNames(part.text) } : part))
    const isTextShown = parts.some(isText) || !message.parts.some(isText)
    const content = isQuestion ? hideNames(message.content) : message.content
    const files = readsFolders(caller) ? {} : { askedFiles: null, filter: null, attachments: null }
    yield { ...message, ...files, parts, content: isTextShown ? content : "" }
  }
}

export function conversationHandlers(conversations: Conversations): Handlers<typeof api.conversations> {
  const shownChats = async <Chat extends { id: string; title: string }>(caller: Caller, chats: Chat[]) =>
    readsFolders(caller) ? chats : conversations.hideFileNames(caller.userId, chats)
  async function shownChat<Chat extends { id: string; title: string }>(caller: Caller, chat: Chat) {
    const [shown = chat] = await shownChats(caller, [chat])
    return shown
  }

  return {
    async list({ caller, query: { limit, offset, ...filter } }) {
      const hidesFileNames = !readsFolders(caller)
      const { chats, pagination } = await conversations.list(
        caller.userId,
        { limit, offset },
        { ...filter, hidesFileNames },
      )
      return { chats: await shownChats(caller, chats), pagination }
    },
    async read({ caller, params, query }) {
      const chat = await conversations.read(caller.userId, params.id, query.branch)
      const hasReadFolders =
        caller.scopes !== null && (await conversations.hasReadFolders(caller.userId, params.id))
      const hideNames = readsFolders(caller)
        ? (text: string) => text
        : await conversations.getNameFilter(caller.userId, params.id)
      const messages = shownMessages(caller, chat.messages, hasReadFolders, hideNames)
      return { chat: { ...(await shownChat(caller, chat)), messages } }
    },
    async update({ caller, params, body }) {
      // A project adds its instructions, folders and assistant to a chat's next questions.
      if (body.projectId !== undefined) requireFullRights(caller, sentence("projects.moving_needs_rights"))
      return { chat: await shownChat(caller, await conversations.update(caller.userId, params.id, body)) }
    },
    fork: async ({ caller, params, body }) => ({
      chat: await shownChat(caller, await conversations.fork(caller.userId, params.id, body)),
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

export function chatImportHandlers(imports: ChatImports): Handlers<typeof api.chatImports> {
  return {
    start: async ({ caller, query, receive }) => ({
      import: await imports.start(caller, receive, query.hold === true),
    }),
    read: async ({ caller, params }) => ({ import: await imports.read(caller.userId, params.id) }),
    newest: async ({ caller }) => ({ import: await imports.newest(caller.userId) }),
    confirm: async ({ caller, params }) => ({ import: await imports.confirm(caller.userId, params.id) }),
    stop: async ({ caller, params }) => ({ import: await imports.stop(caller.userId, params.id) }),
  }
}
