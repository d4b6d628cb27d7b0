import { createHash } from "node:crypto"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { foldCase } from "../../../core/database/sql-helpers.ts"
import { timestamp } from "../../../core/ids.ts"
import { countConversations } from "../transcript/conversation-store.ts"
import { insertMessages, firstTitle } from "../transcript/append-turn.ts"
import { importedLabels } from "../transcript/message-parts.ts"
import { maxExamined, type ExportedChat } from "./formats.ts"

const limits = { conversations: 100_000, messages: 20_000, characters: 2_000_000 }

/** Result of importing a chat: the number of new messages, or the reason why it wasn't imported. */
export type Imported = { added: number; chatId: string } | { reason: Sentence; isKnown: boolean }

/** Stores the new messages of a chat in one write. Its ids are derived from the original ones, so the next import finds the same chat. */
export async function importChat(
  db: DbOf<"chat">,
  ownerId: string,
  chat: ExportedChat,
  { importId, isByScopedKey }: { importId: string; isByScopedKey: boolean },
): Promise<Imported> {
  const chatId = getChatId(chat)
  const began = chat.createdAt ?? 0
  if (chat.messages.length >= maxExamined)
    return no(sentence("conversations.import_too_many_messages", { count: limits.messages }))
  const nodes = orderMessages(chat, (id, at) => messageId([ownerId, chatId, id], at ?? began))
  if (nodes.length === 0) return no(sentence("conversations.import_no_text"))
  if (nodes.length > limits.messages)
    return no(sentence("conversations.import_too_many_messages", { count: limits.messages }))
  return db.transaction().execute(async (transaction): Promise<Imported> => {
    const stored = await transaction
      .selectFrom("conversations")
      .select(["headId", "updatedAt", "removed"])
      .where("ownerId", "=", ownerId)
      .where("id", "=", chatId)
      .executeTakeFirst()
    if (stored?.removed === 1) return no(sentence("conversations.import_just_deleted"))
    const known = await transaction
      .selectFrom("messages")
      .select("id")
      .where("ownerId", "=", ownerId)
      .where("conversationId", "=", chatId)
      .execute()
    const knownIds = new Set(known.map(({ id }) => id))
    const fresh = nodes.filter(({ id }) => !knownIds.has(id))
    if (fresh.length === 0) return { reason: sentence("conversations.import_known"), isKnown: true }
    if (knownIds.size + fresh.length > limits.messages)
      return no(sentence("conversations.import_would_have_too_many", { count: limits.messages }))
    if (!stored && (await countConversations(transaction, ownerId)) >= limits.conversations)
      return no(sentence("conversations.import_too_many_chats", { count: limits.conversations }))
    const head =
      nodes.find(({ sourceIds }) => chat.currentId !== null && sourceIds.has(chat.currentId)) ?? nodes.at(-1)
    // A chat that was continued here keeps its current message.
    const moves = !stored || nodes.some(({ id }) => id === stored.headId)
    const last = timestamp(chat.updatedAt ?? began)
    const state = {
      importId,
      ...(isByScopedKey && { writtenByScopedKey: 1 }),
      ...(moves && head && { headId: head.id, messageCount: head.depth + 1 }),
      updatedAt: stored && stored.updatedAt > last ? stored.updatedAt : last,
    }
    if (stored)
      await transaction
        .updateTable("conversations")
        .set(state)
        .where("ownerId", "=", ownerId)
        .where("id", "=", chatId)
        .execute()
    else {
      const title = getTitle(chat.title) || firstTitle(nodes)
      await transaction
        .insertInto("conversations")
        .values({
          ownerId,
          id: chatId,
          title,
          foldedTitle: foldCase(title),
          origin: "APP",
          vectorIds: "[]",
          assistantId: null,
          modelId: null,
          projectId: null,
          streamStatus: "completed",
          streamStartedAt: null,
          streamActivityAt: null,
          createdAt: timestamp(began),
          messageCount: 0,
          headId: null,
          ...state,
        })
        .execute()
    }
    const rows = fresh.map(({ id, parentId, depth, role, content, model, at }) => ({
      id,
      ownerId,
      conversationId: chatId,
      parentId,
      depth,
      role,
      content,
      parts: JSON.stringify([{ type: "text", text: content }]),
      attachments: null,
      askedFiles: null,
      filter: null,
      finishReason: role === "assistant" ? ("stop" as const) : null,
      model,
      assistantId: null,
      readLabels: importedLabels,
      createdAt: timestamp(at),
    }))
    await insertMessages(transaction, rows)
    return { added: rows.length, chatId }
  })
}

/** Returns the id that a chat gets here. */
export const getChatId = ({ source, id }: Pick<ExportedChat, "source" | "id">) =>
  `${source}-${computeHash([id]).slice(0, 32)}`

const no = (reason: Sentence): Imported => ({ reason, isKnown: false })

interface Node {
  id: string
  /** Ids of the message and of the messages without text that follow it. */
  sourceIds: Set<string>
  parentId: string | null
  depth: number
  role: "user" | "assistant"
  content: string
  model: string | null
  at: number
}

/** Returns the messages with text, parents first. Leaves out messages without a known parent, in a cycle or with a repeated id. */
function orderMessages(chat: ExportedChat, getId: (id: string, at: number | null) => string): Node[] {
  const messages = new Map(chat.messages.toReversed().map((message) => [message.id, message]))
  const children = new Map<string | null, ExportedChat["messages"]>()
  for (const message of chat.messages) {
    if (messages.get(message.id) !== message) continue
    const parent = message.parent !== null && messages.has(message.parent) ? message.parent : null
    const siblings = children.get(parent)
    if (siblings) siblings.push(message)
    else children.set(parent, [message])
  }
  const nodes: Node[] = []
  const waiting: { parent: Node | null; of: string | null }[] = [{ parent: null, of: null }]
  for (const { parent, of } of waiting) {
    for (const { id, role, text, at, model } of children.get(of) ?? []) {
      const content = wellFormed(text).slice(0, limits.characters)
      let node = parent
      if (role !== null && content.trim() !== "") {
        node = {
          id: getId(id, at),
          sourceIds: new Set([id]),
          parentId: parent?.id ?? null,
          depth: parent === null ? 0 : parent.depth + 1,
          role,
          content,
          model: model === null ? null : wellFormed(model).slice(0, 200),
          at: at ?? chat.createdAt ?? 0,
        }
        nodes.push(node)
      } else node?.sourceIds.add(id)
      waiting.push({ parent: node, of: id })
    }
  }
  return nodes
}

const wellFormed = (text: string) => text.toWellFormed().replaceAll("\0", "")

const getTitle = (title: string) =>
  Array.from(wellFormed(title).replace(/\s+/g, " ").trim()).slice(0, 300).join("")

const computeHash = (names: readonly string[]) =>
  createHash("sha256").update(JSON.stringify(names)).digest("hex")

/** Returns a UUIDv7 for the time when the message was written, always the same for the same message. */
function messageId(names: readonly string[], at: number): string {
  const time = at.toString(16).padStart(12, "0").slice(-12)
  const rest = computeHash(names)
  const variant = ((parseInt(rest.slice(3, 4), 16) & 3) | 8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(4, 7)}-${rest.slice(7, 19)}`
}
