import type { DbOf } from "../core/database/database.ts"
import { type ChatDeps, openChat } from "../features/chat/service.ts"
import { createConversations, type ConversationsDeps } from "../features/chat/conversations/service.ts"
import type { Deletions } from "../features/deletions/service.ts"
import { createQueue, type QueueDeps } from "../features/queue/service.ts"

interface ChatsDeps {
  chat: Omit<ChatDeps, "db" | "endDeletion">
  conversations: Omit<
    ConversationsDeps,
    "db" | "deletedChats" | "madeFiles" | "noteDeletion" | "project" | "unknownTools" | "onRead"
  >
  queue: Pick<QueueDeps, "getChatFolder" | "onModelReplaced">
  db: DbOf<"chat" | "queue">
  deletions: Deletions
  stack: AsyncDisposableStack
}

/** Connects chat, the list of chats and the message queue, which depend on one another. */
export async function joinChats({ db, deletions, stack, ...deps }: ChatsDeps) {
  const { bus, push, logger, disabledIds, isRevoked } = deps.chat
  const endDeletion = (userId: string, chatId: string) => deletions.endNow(userId, "chat", chatId)
  const chat = stack.use(await openChat({ ...deps.chat, db, endDeletion }))
  const conversations = createConversations({
    ...deps.conversations,
    db,
    noteDeletion: deletions.note,
    project: deps.chat.project,
    unknownTools: deps.chat.toolbox.unknown,
    onRead: (ownerId, chatId) => bus.publish("answer.read", { ownerId, chatId }),
    madeFiles: chat.madeFiles,
    deletedChats: {
      hide: (userId, chatIds, also) =>
        chat.remove(userId, chatIds, async (transaction, hidden) => {
          for (const chatId of hidden) await queue.hide(userId, chatId, transaction)
          await also(transaction, hidden)
        }),
      restore: (userId, chatId, also) =>
        chat.restore(userId, chatId, async (transaction) => {
          await also(transaction)
          await queue.show(userId, chatId, transaction)
        }),
      async clear(userId, chatId) {
        await queue.clear(userId, chatId)
        await chat.clear(userId, chatId)
      },
    },
  })
  deletions.handle("chat", conversations.deletable)
  const { requireTools, busyWith, send } = chat
  const chats = { requireTools, busyWith, ask: send, history: conversations.history }
  const queue = stack.use(
    createQueue({ ...deps.queue, db, bus, push, logger, chats, disabledIds, isRevoked }),
  )
  return { chat, conversations, queue }
}
