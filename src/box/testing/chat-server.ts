import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client } from "../../shared/client/http-client.ts"
import { api } from "../../shared/contract/api.ts"
import type { Notice, Passage } from "../../shared/contract/folders.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { createDeletedChats, createQueuedChats } from "../compose/chat.ts"
import { createNameHider } from "../compose/queued-names.ts"
import { systemTimes } from "../core/age-clock.ts"
import { type Child, spawnNodeChild } from "../core/children/child.ts"
import { chatFilesPath } from "../core/data-layout.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import { createEventBus, type EventBus, type Push } from "../core/event-bus.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { openOutbound } from "../core/outbound/testing/open-outbound.ts"
import type { ChatEngine, EmbeddingEngine } from "../engines/engine.ts"
import { createLlamaEngine } from "../engines/llama/llama-engine.ts"
import type { ScriptedModelOptions } from "../engines/llama/testing/scripted-model.ts"
import { ensureTestModel, testGpu } from "../engines/llama/testing/test-models.ts"
import { createRemoteEngine } from "../engines/remote/remote-engine.ts"
import { createPeople } from "../features/accounts/people.ts"
import type { FolderReading } from "../features/chat/folder-tools/session.ts"
import type { FoundPassages } from "../features/chat/grounding/find-passages.ts"
import { createConversations } from "../features/chat/conversations/service.ts"
import { chatHandlers, conversationHandlers } from "../features/chat/routes.ts"
import { openChat, type ChatDeps, type Chat } from "../features/chat/service.ts"
import { createColumnFacts, type Facts } from "../features/chat/turn/prompt/prompt.ts"
import type { ChatAssistant } from "../features/chat/turn/turn.ts"
import { completionHandlers } from "../features/completions/routes.ts"
import { createCompletions } from "../features/completions/service.ts"
import { deletionHandlers } from "../features/deletions/service.ts"
import { createQueue, queueHandlers, type QueueDeps } from "../features/queue/service.ts"
import { createLiveConnections } from "../http/live-connections.ts"
import { serve } from "../http/serve.ts"
import { createToolbox, noIntegrations, type Integrations } from "../tools/registry.ts"
import type { Tool } from "../tools/tool.ts"
import { type ModelRequest, startModelServer } from "./model-servers/model-server.ts"
import { noQuotas, createTestDeletions, openPeopledDatabase, serveFeatures } from "./served-features.ts"

/** Users of the test database. Each user's key is the user's name; a key that ends in `-app` is treated as the app. */
const users = ["alice", "bob"]

export interface ChatServerOptions {
  engine: ChatEngine | null
  /** More models, by name. */
  models?: Record<string, ChatEngine>
  embedder?: EmbeddingEngine
  /** How long a deletion can be undone, in ms. Default: one minute. */
  undoMs?: number
  search?: ChatDeps["search"]
  /** Files of folders. Default: none. */
  folderReading?: FolderReading
  /** IDs of folders that exist for everyone. */
  folders?: string[]
  /** Those folders that no remote model may read. */
  staying?: string[]
  /** Passages in these folders. */
  passages?: Passage[]
  textEvent?: "text" | "text-delta"
  /** The box's tools, and the assistants that use them. Assistants belong to everyone and are found by ID. */
  tools?: Tool[]
  integrations?: Integrations
  /** Memories of every user. Default: none. */
  facts?: Facts
  assistants?: ChatAssistant[]
  times?: ChatDeps["times"]
  /** Whether other servers may continue its answers. Default: no. */
  isShared?: boolean
  /** The folder for every chat's attachments. Default: none. */
  getChatFolder?: QueueDeps["getChatFolder"]
  /** Documents that can be read whole. Default: none. */
  reading?: Pick<ChatDeps, "library" | "wholeLimit">
}

export interface ChatServer extends AsyncDisposable {
  url: string
  chat: Chat
  database: OpenDatabase
  bus: EventBus
  pushed: SocketMessage[]
  /** Directory for files created by tools. */
  chatFiles: string
  getClient(user: string): Client
  engine(): ChatEngine | null
  /** Replaces the model that answers; null removes it. */
  replaceEngine(engine: ChatEngine | null): void
  /** Ends the undo period of all deletions. Settles when the data is gone for good or can't be removed yet. */
  endDeletions(): Promise<void>
  /** Refuses all further requests with this user's key. */
  revoke(user: string): void
}

/** A library without documents that can be read whole. */
export const noLibrary: Pick<ChatDeps, "library" | "wholeLimit"> = {
  library: {
    files: () => Promise.resolve([]),
    filtered: (_reader, files) => Promise.resolve([...files]),
    pending: () => Promise.resolve({ count: 0, files: [] }),
    file: () => Promise.resolve(null),
    blocks: () => Promise.reject(new Error("this server has no files")),
    characters: () => Promise.resolve(new Map()),
    beginning: () => Promise.resolve([]),
    getPassage: () => Promise.resolve(null),
  },
  wholeLimit: () => ({ characters: 1_000_000, minutes: 30 }),
}

const named = (name: string) => ({ handle: name, description: `Does ${name}.` })

/** Folders without files. */
export const noFiles = (exists: (id: string) => boolean): FolderReading => ({
  reached: ({ folderIds, generated }) =>
    Promise.resolve(
      folderIds.filter(exists).map((id) => ({ id, name: id, ownerId: "alice", generated, only: null })),
    ),
  files: () => Promise.resolve({ total: 0, files: [] }),
  getFolder: () => Promise.resolve(null),
  file: () => Promise.reject(new Error("this server has no files")),
  text: () => Promise.reject(new Error("this server has no files")),
  tables: {
    list: () => Promise.resolve({ tables: [], without: [] }),
    query: () => Promise.reject(new Error("this server has no tables")),
  },
})

/** Serves chat, stored chats and the raw model over HTTP, with a real database and callers that need no account. */
export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "casella-chat-"))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const database = stack.use(await openPeopledDatabase(directory, users))
  const bus = createEventBus()
  const live = createLiveConnections()
  const pushed: SocketMessage[] = []
  const { deletions, endDeletions } = createTestDeletions(database.db, options.undoMs)
  const modelListeners = new Set<() => void>()
  const revoked = new Set<string>()
  const exists = (id: string) => options.folders?.includes(id) ?? false
  const noFolders = () => Promise.reject(new Error("this server has no folders"))
  const { db } = database
  const toolbox = createToolbox({
    core: options.tools ?? [],
    integrations: options.integrations ?? noIntegrations,
  })
  const project = () => Promise.resolve(null)
  const uploads = () => Promise.resolve([])
  const { disabledIds } = createPeople(db)
  const isRevoked = (keyId: string) => Promise.resolve(revoked.has(keyId))
  const push: Push = (_userIds, message) => void pushed.push(message)
  const chat = stack.use(
    await openChat({
      ...noQuotas,
      db,
      bus,
      push,
      logger: silentLogger,
      engine: () => options.engine,
      namedModel: (named) => Promise.resolve(options.models?.[named] ?? null),
      stayingFolders: (ids) =>
        Promise.resolve(ids.flatMap((id) => (options.staying?.includes(id) ? [{ id, name: id }] : []))),
      getChatFolder: () => Promise.resolve(null),
      ...(options.reading ?? noLibrary),
      search: options.search ?? (() => Promise.resolve(foundPassages([]))),
      uploads,
      pictures: { show: () => Promise.resolve(null), read: () => Promise.resolve("") },
      missingFolders: (_user, ids) => Promise.resolve(ids.filter((id) => !exists(id))),
      assistant: (_user, id) =>
        Promise.resolve(options.assistants?.find((assistant) => assistant.id === id) ?? null),
      project,
      delegates: () =>
        Promise.resolve(
          (options.assistants ?? []).map(({ id, name }) => ({ ...named(name), id, isByScopedKey: false })),
        ),
      facts: () => Promise.resolve(options.facts ?? createColumnFacts),
      hasFactsOfScopedKeys: () => Promise.resolve(false),
      dataDir: directory,
      folderReading: options.folderReading ?? noFiles(exists),
      toolbox,
      reserve: { withReserve: (work) => work() },
      textEvent: () => options.textEvent ?? "text-delta",
      times: options.times ?? systemTimes,
      objects: null,
      canForget: true,
      disabledIds,
      whileValid: live.track,
      isRevoked,
      isShared: options.isShared ?? false,
      endDeletion: (userId, chatId) => deletions.endNow(userId, "chat", chatId),
    }),
  )
  const conversations = createConversations({
    db,
    deletedChats: createDeletedChats(chat, () => queue),
    noteDeletion: deletions.note,
    project,
    awaitedFiles: () => Promise.resolve("unread"),
    moved: () => undefined,
    changed: (_userId, chatId) => void pushed.push({ type: "chat", chatId, status: "completed" }),
    onRead: (ownerId, chatId) => bus.publish("answer.read", { ownerId, chatId }),
    unknownTools: toolbox.unknown,
    chatFolders: {
      getFolderOfChat: noFolders,
      removeWithChats: (_user, _chats, removeChats) => removeChats(() => Promise.resolve(), new Map()),
      restoreWithChat: noFolders,
      clear: () => Promise.resolve(),
    },
    madeFiles: chat.madeFiles,
    copyAttached: () => Promise.resolve(new Map()),
    visibleFolders: (_user, ids) => Promise.resolve(ids.filter(exists)),
    findPassagesById: (ids) => Promise.resolve((options.passages ?? []).filter(({ id }) => ids.includes(id))),
  })
  deletions.handle("chat", conversations.deletable)
  const queue = stack.use(
    createQueue({
      db,
      bus,
      push,
      logger: silentLogger,
      chats: createQueuedChats(chat, conversations),
      getChatFolder: options.getChatFolder ?? (() => Promise.resolve(null)),
      isRevoked,
      disabledIds,
      onModelReplaced(listener) {
        modelListeners.add(listener)
        return () => void modelListeners.delete(listener)
      },
    }),
  )
  const completions = createCompletions({
    models: () =>
      Promise.resolve(options.engine ? [{ name: options.engine.model.id, owner: "local", host: null }] : []),
    model: () => Promise.resolve(options.engine && { name: options.engine.model.id, engine: options.engine }),
    quota: noQuotas,
    preparePicture: () => Promise.reject(new Error("this server prepares no pictures")),
    embedder: () => options.embedder ?? null,
    logger: silentLogger,
  })

  stack.use(deletions)
  const { url, getClient } = stack.use(
    await serveFeatures({ users, isOwner: () => true, live }, (routes, serving) => {
      serve(routes, api.chat, chatHandlers(chat, queue.stop), serving)
      serve(routes, api.queue, queueHandlers(queue, createNameHider(db, uploads)), serving)
      serve(routes, api.conversations, conversationHandlers(conversations), serving)
      serve(routes, api.deletions, deletionHandlers(deletions), serving)
      serve(
        routes,
        api.completions,
        completionHandlers(() => Promise.resolve(completions)),
        serving,
      )
    }),
  )
  const resources = stack.move()
  return {
    url,
    chat,
    database,
    bus,
    pushed,
    chatFiles: chatFilesPath(directory),
    getClient,
    engine: () => options.engine,
    replaceEngine(engine) {
      options.engine = engine
      for (const listener of modelListeners) listener()
    },
    revoke: (user) => void revoked.add(user),
    endDeletions,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export interface TestEngine {
  engine: ChatEngine
  /** The model processes that were started, newest last. */
  processes: Child[]
}

/**
 * A question ending in `!` gets a very long answer; one ending in `?` calls `calculate`, whose result is answered with "The answer is 4.".
 */
const script: ScriptedModelOptions = {
  reply: "Hello from the scripted model.",
  replies: {
    "!": { forever: " on and on" },
    "?": { call: { name: "calculate", args: { expression: "2+2" } } },
    "\n": "The answer is 4.",
  },
  contextSize: 65_536,
}

/** Path of the scripted model that `startTestEngine` uses. */
export const testModelPath = () => ensureTestModel(script)

/** Starts the real engine with a scripted model, without a GPU. */
export function startTestEngine(contextSize = 65_536, modelOptions?: ScriptedModelOptions): TestEngine {
  const processes: Child[] = []
  const engine = createLlamaEngine({
    modelPath:
      modelOptions === undefined ? testModelPath() : ensureTestModel({ contextSize, ...modelOptions }),
    contextSize,
    spawn: (options) => {
      const child = spawnNodeChild(options)
      processes.push(child)
      return child
    },
    gpu: testGpu,
    logger: silentLogger,
  })
  return { engine, processes }
}

/** A passage as the search returns it. */
export function testPassage(id: string, text: string, changes: Partial<Passage> = {}): Passage {
  return {
    id,
    fileId: `file-${id}`,
    fileName: `${id}.md`,
    vectorId: "folder",
    relativePath: `folder/${id}.md`,
    text,
    location: { line: 1 },
    score: 0.9,
    rank: { keyword: 1 },
    ...changes,
  }
}

/** A search result with only these passages. */
export function foundPassages(results: Passage[], notices: Notice[] = []): FoundPassages {
  return { results, others: [], strategy: "keyword", notices }
}

export const greeting = "Hello from the scripted model."
export const afterResult = "The answer is 4."

/** Two servers whose models give the same answers. One model runs on this computer, the other on a remote server. */
export interface ChatServers extends AsyncDisposable {
  local: ChatServer
  remote: ChatServer
  /** The engine on this computer. */
  model: TestEngine
  /** Requests received by the remote model, oldest first. */
  asked: ModelRequest[]
}

/**
 * A question ending in `?` calls `calculate`, or on the remote model the first tool offered; its result is answered with "The answer is
 * 4.". Anything else gets the greeting. The local model also gives a very long answer to `!`, and thinks first on `;`.
 */
export async function startChatServers(): Promise<ChatServers> {
  await using stack = new AsyncDisposableStack()
  const call = { name: "calculate", args: { expression: "2+2" } }
  const model = startTestEngine(65_536, {
    reply: greeting,
    replies: {
      "!": { forever: " on and on" },
      "?": { call },
      "\n": afterResult,
      ";": { thought: "Let me see", answer: "Done" },
    },
  })
  stack.use(model.engine)
  const modelServer = stack.use(
    await startModelServer(({ messages, tools }) => {
      const newest = messages.at(-1)
      const name = tools?.[0]?.function.name ?? call.name
      if (newest?.role === "tool") return { text: afterResult }
      return newest?.content?.endsWith("?") === true ? { calls: [{ ...call, name }] } : { text: greeting }
    }),
  )
  const far = createRemoteEngine({ server: { baseUrl: modelServer.baseUrl, outbound: openOutbound() } })
  stack.use(far)
  const local = stack.use(await startChatServer({ engine: model.engine }))
  const remote = stack.use(await startChatServer({ engine: far }))
  const resources = stack.move()
  return {
    local,
    remote,
    model,
    asked: modelServer.requests,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
