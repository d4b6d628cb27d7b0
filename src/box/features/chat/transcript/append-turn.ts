import type { Insertable } from "kysely"
import { lookup } from "mime-types"
import { z } from "zod"
import type { Attachment, ChatMessage, Role, AskedFile, FactTable } from "../../../../shared/contract/chat.ts"
import type { Origin } from "../../../../shared/contract/conversations.ts"
import { invalidField, AppError } from "../../../../shared/contract/errors.ts"
import type { FileFilter } from "../../../../shared/contract/file-filter.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf, TransactionOf } from "../../../core/database/database.ts"
import { foldCase, readStored, readStoredIds } from "../../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { newId } from "../../../core/ids.ts"
import { countConversations } from "./conversation-store.ts"
import { importedLabels, isImportedQuestion, readFileNames } from "./message-parts.ts"

/** A file in a chat's own folder. */
export interface ChatUpload {
  fileId: string
  name: string
  size: number
  createdAt: string
}

interface AttachmentRequest {
  uploads: readonly ChatUpload[]
  attachments: readonly string[] | null
}

/** Returns the uploads that belong to the newest message. `since` is when the previous message was stored. Throws `validation`. */
export function attachedTo(
  { uploads, attachments: wanted }: AttachmentRequest,
  since: string | null,
): Attachment[] {
  if (wanted?.some((id) => uploads.every(({ fileId }) => fileId !== id)) === true)
    throw invalidField("attachments", sentence("chat.own_attachments_only"))
  return uploads
    .filter(({ fileId, createdAt }) => wanted?.includes(fileId) ?? (since === null || createdAt > since))
    .map(({ fileId, name, size }) => {
      const mediaType = lookup(name)
      return { fileId, name, mediaType: mediaType === false ? "application/octet-stream" : mediaType, size }
    })
}

/** Maximum number of rows per insert: SQLite accepts 32,766 values. */
const rowsPerInsert = 500

/** Stores any number of messages. */
export async function insertMessages(
  transaction: DbOf<"chat">,
  rows: readonly Insertable<TablesOf<"chat">["messages"]>[],
): Promise<void> {
  for (let first = 0; first < rows.length; first += rowsPerInsert)
    await transaction
      .insertInto("messages")
      .values(rows.slice(first, first + rowsPerInsert))
      .execute()
}

/** A stored message as a node of its chat's tree. The first message has the parent null. */
export interface HistoryNode {
  id: string
  parentId: string | null
  role: Role
  content: string
  /** Its text as credentials that can't read folders see it, if that differs. */
  contentWithoutNames?: string
}

/**
 * Returns the longest path of stored messages that a history starts with, compared by role and text, oldest first. Earlier branches are
 * included; among equal paths the current branch wins. White space around a text is ignored.
 */
export function findStoredPrefix<Node extends HistoryNode>(
  nodes: readonly Node[],
  headId: string | null,
  history: readonly ChatMessage[],
): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const children = Map.groupBy(nodes, (node) => node.parentId)
  const currentIds = new Set(pathTo(headId, byId).map((node) => node.id))

  // Follows equal siblings in parallel: only one of them may continue like the history.
  let ends: Node[] = []
  let parentIds: (string | null)[] = [null]
  for (const message of history) {
    const next = parentIds.flatMap((id) => children.get(id) ?? []).filter((node) => isSame(node, message))
    if (next.length === 0) break
    ends = next
    parentIds = next.map((node) => node.id)
  }
  const end = ends.find((node) => currentIds.has(node.id)) ?? ends.at(-1)
  return pathTo(end?.id ?? null, byId)
}

function pathTo<Node extends HistoryNode>(id: string | null, byId: ReadonlyMap<string, Node>): Node[] {
  const path: Node[] = []
  for (let node = id === null ? undefined : byId.get(id); node;) {
    path.push(node)
    node = node.parentId === null ? undefined : byId.get(node.parentId)
  }
  return path.reverse()
}

function isSame(node: HistoryNode, message: ChatMessage): boolean {
  const content = comparable(message.content)
  const texts = [node.content, node.contentWithoutNames ?? node.content]
  return node.role === message.role && texts.some((text) => comparable(text) === content)
}

/** Normalises a message text for comparison. The database replaces lone surrogates. */
const comparable = (text: string) => text.toWellFormed().trim()

const maxTitleLength = 80

/** Returns the first line of the first user message, cut to 80 characters. */
export function firstTitle(messages: readonly ChatMessage[]): string {
  for (const { role, content } of messages) {
    const line =
      role === "user" ? content.split(/[\r\n\u2028\u2029]/).find((text) => text.trim() !== "") : undefined
    if (line !== undefined) return Array.from(line.trim()).slice(0, maxTitleLength).join("").trimEnd()
  }
  return "New conversation"
}

/** A turn to store before its answer starts. */
export interface NewTurn {
  ownerId: string
  chatId: string
  answerId: string
  origin: Origin
  vectorIds: string[]
  /** All folders that it reads, including the assistant's. */
  readVectorIds: readonly string[]
  assistantId: string | null
  /** The project of the chat, if this turn starts one. */
  projectId: string | null
  /** The model that the question specifies. */
  modelId: string | null
  /** The history as the caller sent it, with the new message last. */
  messages: readonly ChatMessage[]
  /** Files in the chat's own folder. */
  uploads: readonly ChatUpload[]
  /** IDs of the files that belong to the new message; null: those uploaded since the previous message. */
  attachments: readonly string[] | null
  /** The files that the new message names. */
  askedFiles: readonly AskedFile[] | null
  /** Narrows the files that the new message is about. */
  filter: FileFilter | null
  /** Texts of other authors in the new message; null: the whole message is the user's own. */
  quoted: readonly string[] | null
  /** Whether nothing may be sent or changed for this turn and later turns of its chat. */
  isDryRun: boolean
  /** Whether a credential without full rights asks. */
  isAskedByScopedKey: boolean
  /** The table that it requests. */
  table: FactTable | null
  /** The tools that it names; null: none, and the previous choice is kept. */
  builtInTools: Readonly<Record<string, boolean>> | null
  startedAt: string
}

/** Maximum number of chats per user, and of messages per chat across all branches, which are read at each turn. */
const limits = { conversations: 100_000, messages: 20_000 }

/** Thrown if the chat was deleted and can still be restored: it must be deleted permanently before another chat can use its ID. */
export class DeletedConversation extends Error {
  override readonly name = "DeletedConversation"
}

/**
 * Stores the history and an empty answer. Messages that differ from the stored history become a separate branch. Throws `conflict` if there
 * are too many messages or chats, `validation` for other files, and `DeletedConversation` if nothing else is wrong.
 */
export async function appendTurn(transaction: TransactionOf<"chat">, turn: NewTurn): Promise<void> {
  const { ownerId, chatId, messages, startedAt } = turn
  const stored = await transaction
    .selectFrom("conversations")
    .select(["headId", "removed", "readVectorIds", "staysHere", "writtenByScopedKey"])
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .executeTakeFirst()
  const isDeleted = stored?.removed === 1
  const conversation = isDeleted ? undefined : stored
  const nodes = isDeleted ? [] : await storedMessages(transaction, ownerId, chatId)
  const kept = findStoredPrefix(nodes, conversation?.headId ?? null, messages)
  const attachments = attachedTo(turn, kept.at(-1)?.createdAt ?? null)
  const rows = newRows(turn, kept.length, kept.at(-1)?.id ?? null, attachments, nodes)
  if (nodes.length + rows.length > limits.messages) throw new AppError("conflict", sentence("chat.too_long"))
  if (!conversation) await requireRoom(transaction, ownerId)
  if (isDeleted) throw new DeletedConversation()
  const readBefore = conversation ? readStoredIds(conversation.readVectorIds) : []
  const state = {
    readVectorIds: JSON.stringify([...new Set([...readBefore, ...turn.readVectorIds])]),
    // A chat that replaces a deleted one inherits nothing from it.
    staysHere: conversation?.staysHere ?? 0,
    dryRun: Number(turn.isDryRun),
    writtenByScopedKey: Number(turn.isAskedByScopedKey || conversation?.writtenByScopedKey === 1),
    vectorIds: JSON.stringify(turn.vectorIds),
    assistantId: turn.assistantId,
    modelId: turn.modelId,
    ...(turn.builtInTools && { builtInTools: JSON.stringify(turn.builtInTools) }),
    headId: turn.answerId,
    messageCount: messages.length + 1,
    streamStatus: "active" as const,
    streamStartedAt: startedAt,
    streamActivityAt: startedAt,
    updatedAt: startedAt,
  }
  const title = firstTitle(messages)
  await transaction
    .insertInto("conversations")
    .values({
      ownerId,
      id: chatId,
      title,
      foldedTitle: foldCase(title),
      origin: turn.origin,
      projectId: turn.projectId,
      createdAt: startedAt,
      ...state,
    })
    .onConflict((conflict) => conflict.columns(["ownerId", "id"]).doUpdateSet(state))
    .execute()
  await insertMessages(transaction, rows)
}

/**
 * Returns when the newest stored message that a history continues from was stored; without a history, that of the chat's current head.
 * Returns null if the history starts a chat.
 */
export async function findContinuedAt(
  db: DbOf<"chat">,
  {
    ownerId,
    chatId,
    messages,
  }: Pick<NewTurn, "ownerId" | "chatId"> & { messages: NewTurn["messages"] | null },
): Promise<string | null> {
  const conversation = await db
    .selectFrom("conversations")
    .select("headId")
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .where("removed", "=", 0)
    .executeTakeFirst()
  if (!conversation) return null
  if (messages === null) {
    const head = db
      .selectFrom("messages")
      .select("createdAt")
      .where("ownerId", "=", ownerId)
      .where("id", "=", conversation.headId)
    return (await head.executeTakeFirst())?.createdAt ?? null
  }
  const nodes = await storedMessages(db, ownerId, chatId)
  return findStoredPrefix(nodes, conversation.headId, messages).at(-1)?.createdAt ?? null
}

async function storedMessages(transaction: DbOf<"chat">, ownerId: string, chatId: string) {
  const rows = await transaction
    .selectFrom("messages")
    .select([
      "id",
      "parentId",
      "role",
      "content",
      "readLabels",
      "quoted",
      "askedFiles",
      "attachments",
      "createdAt",
    ])
    .where("ownerId", "=", ownerId)
    .where("conversationId", "=", chatId)
    .orderBy("depth")
    .orderBy("id")
    .execute()
  const names = rows.flatMap(readFileNames)
  if (names.length === 0) return rows
  const { hideFileNames } = await import("./named-files.ts")
  return rows.map((row) => ({ ...row, contentWithoutNames: hideFileNames(row.content, names) }))
}

/** Throws `conflict` if the owner has too many chats. */
export async function requireRoom(transaction: TransactionOf<"chat">, ownerId: string): Promise<void> {
  if ((await countConversations(transaction, ownerId)) >= limits.conversations)
    throw new AppError("conflict", sentence("chat.too_many_chats"))
}

type StoredMessage = Awaited<ReturnType<typeof storedMessages>>[number]

/** Texts that were imported as a user's messages. They remain imported when the chat branches. */
const importedTexts = (nodes: readonly StoredMessage[]): ReadonlySet<string> =>
  new Set(nodes.filter(isImportedQuestion).map(({ content }) => comparable(content)))

const Texts = z.array(z.string())
/** Texts of other authors in a message; the whole message if it was imported. */
const textsIn = (message: StoredMessage): string[] => {
  const { quoted, content } = message
  const texts = quoted === null ? [] : (readStored(Texts, quoted) ?? [content])
  return [...texts, ...(isImportedQuestion(message) ? [content] : [])]
    .map(comparable)
    .filter((text) => text !== "")
}

/**
 * Texts of other authors in a message that replaces messages, such as an edited one. The whole message if those texts were changed as
 * well, because the parts can't be told apart any more.
 */
function findQuotedTexts(content: string, replaced: readonly StoredMessage[]): string[] {
  const texts = [...new Set(replaced.flatMap(textsIn))]
  return texts.every((text) => content.includes(text)) ? texts : [content]
}

/** Returns rows for the messages that aren't stored yet and for the answer, each a child of the previous one. */
function newRows(
  { ownerId, chatId, answerId, assistantId, messages, askedFiles, filter, quoted, table, startedAt }: NewTurn,
  kept: number,
  last: string | null,
  attachments: readonly Attachment[],
  nodes: readonly StoredMessage[],
) {
  const imported = importedTexts(nodes)
  const known = nodes.flatMap(textsIn)
  let parentId = last
  const answer = { role: "assistant" as const, content: "" }
  return [...messages.slice(kept), answer].map((message, index) => {
    const id = message === answer ? answerId : newId()
    // A new question is the user's own text unless it replaces a text of other authors.
    const isImported =
      message.role === "user" && message !== messages.at(-1) && imported.has(comparable(message.content))
    const foreign =
      index === 0
        ? findQuotedTexts(
            message.content,
            nodes.filter((node) => node.parentId === last && node.role === message.role),
          )
        : []
    const foreignTexts =
      message === messages.at(-1)
        ? (quoted ?? foreign)
        : [...foreign, ...known.filter((text) => message.content.includes(text))]
    const row = {
      id,
      ownerId,
      conversationId: chatId,
      parentId,
      depth: kept + index,
      role: message.role,
      content: message.content,
      parts: JSON.stringify(message.content === "" ? [] : [{ type: "text", text: message.content }]),
      attachments: message === messages.at(-1) && attachments.length > 0 ? JSON.stringify(attachments) : null,
      askedFiles: message === messages.at(-1) && askedFiles ? JSON.stringify(askedFiles) : null,
      filter: message === messages.at(-1) && filter ? JSON.stringify(filter) : null,
      factTable: message === messages.at(-1) && table ? JSON.stringify(table) : null,
      finishReason: null,
      assistantId: message === answer ? assistantId : null,
      readLabels: isImported ? importedLabels : null,
      quoted: message.role === "user" && foreignTexts.length > 0 ? JSON.stringify(foreignTexts) : null,
      createdAt: startedAt,
    }
    parentId = id
    return row
  })
}
