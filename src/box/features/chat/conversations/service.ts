import { z } from "zod"
import { ChatId, type AskedFile, type ChatMessage } from "../../../../shared/contract/chat.ts"
import type {
  AwaitedFiles,
  ChatSearchHit,
  Conversation,
  ConversationPatch,
  ConversationSummary,
  Retrieval,
  StoredMessage,
} from "../../../../shared/contract/conversations.ts"
import type { Undo } from "../../../../shared/contract/deletions.ts"
import { AppError, invalidField } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Project } from "../../../../shared/contract/projects.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { paginate, type Page, type Pagination } from "../../../../shared/contract/primitives.ts"
import type { AlsoWrite, DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { Deletable, Deletion, NoteDeletion } from "../../../core/deletable.ts"
import { lazy } from "../../../core/lazy.ts"
import type { WriteWithChats } from "../transcript/chat-removal.ts"
import type { RetrievalSources } from "../transcript/retrieval-store.ts"
import type { ChatSearch } from "../transcript/search/search.ts"
import { createTranscriptStore, type TranscriptStore } from "../transcript/transcript-store.ts"
import {
  createConversationStore,
  type ConversationFilter,
  type ConversationStore,
  type StoredConversation,
} from "../transcript/conversation-store.ts"
import { createMessageStore, type Batch, type MessageStore } from "../transcript/message-store.ts"
import type { ForkDeps } from "./fork.ts"

export interface ConversationsDeps extends RetrievalSources, ForkDeps {
  db: DbOf<"chat">
  /** Hides, restores and deletes chats with all their content except folders. `also` is written in the same transaction. */
  deletedChats: {
    /** Stops running answers first; `also` receives the chats that existed. */
    hide(ownerId: string, ids: readonly string[], also: WriteWithChats): Promise<void>
    restore(ownerId: string, id: string, also: AlsoWrite): Promise<void>
    /** Deletes permanently. */
    clear(ownerId: string, id: string): Promise<void>
  }
  noteDeletion: NoteDeletion
  /** Returns a user's project with the folders that they may currently search; null if there is none. */
  project(ownerId: string, id: string): Promise<Pick<Project, "vectorIds"> | null>
  /** Returns the status of files that an answer names, if its reader may read them directly or through the assistant that answered. */
  awaitedFiles(userId: string, assistantId: string | null, files: readonly AskedFile[]): Promise<AwaitedFiles>
  /** Notifies that the projects of the user's chats have changed. */
  moved(ownerId: string): void
  /** Notifies that a chat was renamed, pinned, moved or read. */
  changed(ownerId: string, chatId: string): void
  /** Notifies that the user has read a chat's newest answer. */
  onRead(ownerId: string, chatId: string): void
  /** Returns those of the tool keys that the user's box doesn't know. */
  unknownTools(ownerId: string, keys: readonly string[]): Promise<string[]>
  /** Folders with the attachments of one chat each. */
  chatFolders: {
    getFolderOfChat(
      ownerId: string,
      chatId: string,
      source: { projectId: string | undefined },
    ): Promise<{ vector: Folder; made: boolean }>
    /** Removes chats with `removeChats`, and their folders in the same write. */
    removeWithChats<T>(
      ownerId: string,
      chatIds: readonly string[],
      removeChats: (also: WriteWithChats, folders: ReadonlyMap<string, ChatFolder>) => Promise<T>,
    ): Promise<T>
    restoreWithChat(
      folder: ChatFolder,
      chatId: string,
      restoreChat: (also: AlsoWrite) => Promise<void>,
    ): Promise<void>
    clear(folderId: string): Promise<void>
  }
}

interface ChatFolder {
  id: string
  paused: number
}

/** Data kept of a deleted chat so that it can be restored. */
const TrashedDetails = z.object({ folderId: z.string().nullable(), folderPaused: z.int().default(0) })

type ReadConversation = Omit<Conversation, "messages"> & { messages: AsyncIterable<StoredMessage> }

export interface Conversations {
  /** Most recently updated first. */
  list(
    ownerId: string,
    page: Page,
    filter: ConversationFilter,
  ): Promise<{ chats: ConversationSummary[]; pagination: Pagination }>
  /**
   * Returns the current branch, or the one that ends with the message `branch`. Its messages are read during iteration. Throws `not_found`,
   * also during iteration if the chat is being deleted.
   */
  read(ownerId: string, id: string, branch?: string): Promise<ReadConversation>
  /** Whether the chat has read any folder so far. */
  hasReadFolders(ownerId: string, id: string): Promise<boolean>
  /** Returns the chats without the names of files in their titles, for a credential that can't read folders. */
  hideFileNames<Chat extends Pick<ConversationSummary, "id" | "title">>(
    ownerId: string,
    chats: readonly Chat[],
  ): Promise<Chat[]>
  /** Returns a function that removes the names of a chat's files from its questions. */
  getNameFilter(ownerId: string, id: string): Promise<(text: string) => string>
  /** Returns the messages up to `lastId`, or of the current branch; empty if the chat doesn't exist. */
  history(ownerId: string, id: string, lastId: string | undefined): Promise<ChatMessage[]>
  /** Throws `validation` for a project that the owner doesn't have. */
  update(ownerId: string, id: string, patch: ConversationPatch): Promise<ConversationSummary>
  /** Creates a chat that starts with everything up to a finished answer. Throws `not_found`, `validation` or `conflict`. */
  fork(
    ownerId: string,
    id: string,
    wanted: { messageId: string; title?: string | undefined },
  ): Promise<ConversationSummary>
  /** Deletes all these chats and their own folders in one write. Throws `not_found` if none of them exists. */
  remove(ownerId: string, ids: readonly string[]): Promise<{ ids: readonly string[]; undo: Undo }>
  /** Restores a deleted chat, or deletes it permanently. */
  readonly deletable: Deletable
  /**
   * Returns matches that contain all words of the query, best and newest first. Quoted passages and names of files are included only with
   * `readsFolders`.
   */
  search(ownerId: string, query: string, limit: number, readsFolders?: boolean): Promise<ChatSearchHit[]>
  /** Returns how the passages of an answer were chosen; null if no folders were searched. Throws `not_found`. */
  retrieval(ownerId: string, id: string, messageId: string): Promise<Retrieval | null>
  /** Returns the status of files that an answer names as still being read. Throws `not_found`. */
  awaitedFiles(ownerId: string, id: string, messageId: string): Promise<AwaitedFiles>
  /** Returns the chat's own folder. `made` is true if this call created it. The chat needn't have started. */
  folder(
    ownerId: string,
    id: string,
    projectId: string | undefined,
  ): Promise<{ vector: Folder; made: boolean }>
}

/** Stored transcripts of chats. */
export const createConversations = (deps: ConversationsDeps): Conversations => new ConversationService(deps)

class ConversationService implements Conversations {
  readonly #deps: ConversationsDeps
  readonly #store: ConversationStore
  readonly #messages: MessageStore
  readonly #transcripts: TranscriptStore
  readonly #loadSearch: () => Promise<ChatSearch>
  readonly deletable: ChatRemoval

  constructor(deps: ConversationsDeps) {
    const { db } = deps
    this.#deps = deps
    this.#store = createConversationStore(db)
    this.#messages = createMessageStore(db)
    this.#transcripts = createTranscriptStore(db)
    this.#loadSearch = lazy(async () => new (await import("../transcript/search/search.ts")).ChatSearch(db))
    this.deletable = new ChatRemoval(deps)
  }

  async list(ownerId: string, page: Page, filter: ConversationFilter) {
    const { total, chats } = await this.#store.list(ownerId, page, filter)
    return { chats, pagination: paginate(total, page, chats.length) }
  }

  async read(ownerId: string, id: string, branch?: string): Promise<ReadConversation> {
    const found = await this.#find(ownerId, id)
    const lastId = branch || found.headId // `?branch=` without a value names no branch
    const batches = lastId === null ? [] : await this.#messages.batches(ownerId, id, lastId)
    if (batches.length === 0) throw new AppError("not_found", sentence("conversations.no_branch"))
    const branches = await this.#messages.branches(ownerId, id, found.headId)
    const builtInTools = await this.#knownTools(ownerId, found.builtInTools)
    const messages = this.#getMessages(ownerId, id, batches)
    return { ...found.summary, builtInTools, messages, branches }
  }

  async #find(ownerId: string, id: string): Promise<StoredConversation> {
    const found = await this.#store.find(ownerId, id)
    if (!found) throw missing()
    return found
  }

  /** Leaves out removed servers, because their keys would be refused when sent back. */
  async #knownTools(ownerId: string, flags: Record<string, boolean>): Promise<Record<string, boolean>> {
    const removed = await this.#deps.unknownTools(ownerId, Object.keys(flags))
    return Object.fromEntries(Object.entries(flags).filter(([key]) => !removed.includes(key)))
  }

  async *#getMessages(ownerId: string, id: string, batches: readonly Batch[]) {
    for (const batch of batches) {
      const some = await this.#messages.batch(ownerId, id, batch)
      if (some.length < batch.length) throw missing() // the chat is being deleted in steps
      yield* some
    }
  }

  hasReadFolders(ownerId: string, id: string): Promise<boolean> {
    return this.#transcripts.hasReadFolders(ownerId, id)
  }

  async hideFileNames<Chat extends Pick<ConversationSummary, "id" | "title">>(
    ownerId: string,
    chats: readonly Chat[],
  ): Promise<Chat[]> {
    const { findFileNames, hideInTitle } = await import("../transcript/named-files.ts")
    const ids = chats.map(({ id }) => id)
    const getNames = await findFileNames(this.#deps.db, ownerId, ids)
    return chats.map((chat) => ({ ...chat, title: hideInTitle(chat.title, getNames(chat.id)) }))
  }

  async getNameFilter(ownerId: string, id: string): Promise<(text: string) => string> {
    const { findFileNames, hideFileNames } = await import("../transcript/named-files.ts")
    const names = (await findFileNames(this.#deps.db, ownerId, [id]))(id)
    return (text) => hideFileNames(text, names)
  }

  async history(ownerId: string, id: string, lastId: string | undefined): Promise<ChatMessage[]> {
    if (!(await this.#store.find(ownerId, id))) return []
    const { messages } = await this.read(ownerId, id, lastId)
    const history: ChatMessage[] = []
    for await (const { role, content } of messages) history.push({ role, content })
    return history
  }

  async update(ownerId: string, id: string, patch: ConversationPatch): Promise<ConversationSummary> {
    const deps = this.#deps
    const { projectId } = patch
    const into = projectId ? await deps.project(ownerId, projectId) : null
    if (projectId && into === null) throw invalidField("projectId", sentence("projects.none_such"))
    const before = projectId === undefined ? undefined : (await this.#store.find(ownerId, id))?.summary
    const from = before?.projectId ? await deps.project(ownerId, before.projectId) : null
    const vectorIds = before && movedFolders(before.vectorIds, from?.vectorIds ?? [], into?.vectorIds ?? [])
    const updated = await this.#store.update(ownerId, id, patch, vectorIds)
    if (!updated) throw missing()
    if (projectId !== undefined) deps.moved(ownerId)
    deps.changed(ownerId, id)
    if (patch.unread === false) deps.onRead(ownerId, id)
    return updated
  }

  async fork(
    ownerId: string,
    id: string,
    wanted: { messageId: string; title?: string | undefined },
  ): Promise<ConversationSummary> {
    const { summary } = await this.#find(ownerId, id)
    const { createForking } = await import("./fork.ts")
    const fork = createForking(this.#deps)
    return (await this.#find(ownerId, await fork(ownerId, summary, wanted))).summary
  }

  remove(ownerId: string, ids: readonly string[]): Promise<{ ids: readonly string[]; undo: Undo }> {
    return this.deletable.remove(ownerId, ids)
  }

  async search(
    ownerId: string,
    query: string,
    limit: number,
    readsFolders?: boolean,
  ): Promise<ChatSearchHit[]> {
    const chats = await this.#loadSearch()
    return chats.search(ownerId, query, limit, readsFolders)
  }

  async retrieval(ownerId: string, id: string, messageId: string): Promise<Retrieval | null> {
    const { createRetrievalStore, shownRetrieval } = await import("../transcript/retrieval-store.ts")
    const kept = await createRetrievalStore(this.#deps.db).find(ownerId, id, messageId)
    if (kept === undefined) throw messageNotFound()
    return kept && shownRetrieval(this.#deps, ownerId, kept)
  }

  async awaitedFiles(ownerId: string, id: string, messageId: string): Promise<AwaitedFiles> {
    const stored = await this.#store.find(ownerId, id)
    const lastOne = { lastId: messageId, length: 1 }
    const [message] = stored ? await this.#messages.batch(ownerId, id, lastOne) : []
    if (!message) throw messageNotFound()
    const files = message.parts.flatMap((part) => (part.type === "notice" && part.files) || [])
    return this.#deps.awaitedFiles(ownerId, message.assistantId, files)
  }

  async folder(ownerId: string, id: string, projectId: string | undefined) {
    if (!ChatId.safeParse(id).success) throw invalidField("id", sentence("conversations.id_malformed"))
    return this.#deps.chatFolders.getFolderOfChat(ownerId, id, { projectId })
  }
}

/** Deletes chats together with their folders. */
class ChatRemoval implements Deletable {
  readonly #deps: Pick<ConversationsDeps, "chatFolders" | "deletedChats" | "noteDeletion">

  constructor(deps: Pick<ConversationsDeps, "chatFolders" | "deletedChats" | "noteDeletion">) {
    this.#deps = deps
  }

  remove(ownerId: string, ids: readonly string[]): Promise<{ ids: readonly string[]; undo: Undo }> {
    const { chatFolders, deletedChats, noteDeletion } = this.#deps
    return chatFolders.removeWithChats(ownerId, ids, async (also, folders) => {
      let removed: { ids: readonly string[]; undo: Undo } | undefined
      await deletedChats.hide(ownerId, ids, async (transaction, hidden) => {
        await also(transaction, hidden)
        const deletions = hidden.map((id) => {
          const folder = folders.get(id)
          const kept = { folderId: folder?.id ?? null, folderPaused: folder?.paused ?? 0 }
          const json = JSON.stringify(kept satisfies z.infer<typeof TrashedDetails>)
          return { ownerId, kind: "chat" as const, itemId: id, kept: json }
        })
        removed = { ids: hidden, undo: await noteDeletion(transaction, ...deletions) }
      })
      if (!removed) throw missing()
      return removed
    })
  }

  async restore({ ownerId, itemId, kept }: Deletion, also: AlsoWrite): Promise<void> {
    const { chatFolders, deletedChats } = this.#deps
    const { folderId, folderPaused } = readStored(TrashedDetails, kept) ?? {
      folderId: null,
      folderPaused: 0,
    }
    const restore = (writeFolder: AlsoWrite) =>
      deletedChats.restore(ownerId, itemId, async (transaction) => {
        await also(transaction)
        await writeFolder(transaction)
      })
    if (folderId === null) await restore(() => Promise.resolve())
    else await chatFolders.restoreWithChat({ id: folderId, paused: folderPaused }, itemId, restore)
  }

  async end({ ownerId, itemId, kept }: Deletion): Promise<void> {
    const folderId = readStored(TrashedDetails, kept)?.folderId ?? null
    await this.#deps.deletedChats.clear(ownerId, itemId)
    if (folderId !== null) await this.#deps.chatFolders.clear(folderId)
  }
}

/** Returns a chat's folders after it moved from one project to another. */
const movedFolders = (has: readonly string[], left: readonly string[], got: readonly string[]) => [
  ...new Set([...has.filter((id) => !left.includes(id)), ...got]),
]

const missing = () => new AppError("not_found", sentence("conversations.none_such"))
const messageNotFound = () => new AppError("not_found", sentence("conversations.no_message"))
