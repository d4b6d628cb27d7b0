import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient, type Client } from "../../shared/client/http-client.ts"
import type { ChatEvent } from "../../shared/contract/chat.ts"
import type { BoxConfig } from "../box-config.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import {
  dropTestDatabase,
  openTestDatabase,
  testDatabaseUrl,
  writeNewDatabase,
} from "../core/database/testing/test-database.ts"
import { writeKnownProcessor } from "../engines/llama/testing/test-models.ts"
import { createKeys } from "../features/accounts/keys.ts"
import { createPeople } from "../features/accounts/people.ts"
import { startBox, type RunningBox } from "../start-box.ts"
import { databasePath } from "../start/open-data.ts"

export interface TestBox extends AsyncDisposable {
  url: string
  dataDir: string
  /** The local owner's key. */
  key: string
  /** Client that uses the owner's key. */
  client: Client
  /** Returns a client that uses another key. */
  getClient(key: string): Client
  box: RunningBox
  /** Stops the box, runs `meanwhile`, and starts the box again with the same data directory. */
  restart(config?: Partial<BoxConfig>, whileStopped?: () => Promise<unknown>): Promise<void>
}

/** Starts a real box with a new directory and a free port. Everything is removed on disposal. */
export async function startTestBox(config: Partial<BoxConfig> = {}, undoMs = 60_000): Promise<TestBox> {
  const dataDir = config.dataDir ?? (await mkdtemp(join(tmpdir(), "casella-test-")))
  const databaseUrl = await testDatabaseUrl(databasePath(dataDir))
  const hasOwnRows = databaseUrl === null && (config.databaseUrl ?? null) === null
  if (config.dataDir === undefined && hasOwnRows) await writeNewDatabase(databasePath(dataDir))
  const start = async (changes: Partial<BoxConfig>) => {
    const isModelFile = [changes.model, changes.embeddingModel].some((model) => model?.endsWith(".gguf"))
    if (isModelFile && existsSync(databasePath(dataDir))) writeKnownProcessor(dataDir)
    const started = await startBox(
      {
        host: "127.0.0.1",
        port: 0,
        dataDir,
        databaseUrl,
        model: null,
        embeddingModel: null,
        files: null,
        vectors: null,
        secretsKey: null,
        peerUrl: null,
        filesCacheGb: 10,
        vectorsCacheGb: 10,
        authUrl: null,
        localOnly: false,
        allowedHosts: [],
        allowedOrigins: [],
        publicUrl: null,
        oidc: null,
        ...changes,
      },
      { pageDir: join(dataDir, "no-page"), quiet: true, undoMs },
    )
    await started.allStarted
    return started
  }
  let box = await start(config)
  const key = box.firstRunKey ?? ""
  const getClient = (apiKey: string) => createClient({ baseUrl: box.url, headers: { "x-api-key": apiKey } })
  return {
    get url() {
      return box.url
    },
    dataDir,
    key,
    get client() {
      return getClient(key)
    },
    getClient,
    get box() {
      return box
    },
    async restart(changes = {}, whileStopped) {
      await box[Symbol.asyncDispose]()
      await whileStopped?.()
      box = await start({ ...config, ...changes })
    },
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]()
      await dropTestDatabase(databasePath(dataDir))
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Opens the database of a test box. */
export const getRows = (dataDir: string): Promise<OpenDatabase> => openTestDatabase(databasePath(dataDir))

/** Adds a user to the box's workspace as the command line does. Returns a client with the user's key. */
export async function addUser(box: TestBox, email: string): Promise<Client> {
  await using database = await getRows(box.dataDir)
  const user = await createPeople(database.db).add(email, "Someone")
  return box.getClient((await createKeys(database.db, () => undefined).create(user.id, { name: "Key" })).key)
}

export interface AskedInChat {
  id: string
  content: string
  attachments?: string[]
  modelId?: string
  vector?: string[]
  assistantId?: string
  /** Number of chat messages to keep. Default: all. */
  kept?: number
  /** The client that asks. Default: the owner. */
  client?: Client
}

/** Asks a question in a stored chat, and returns the outcome. */
export async function askInChat(
  box: TestBox,
  { content, kept, client = box.client, ...question }: AskedInChat,
): Promise<{ text: string; notices: string[]; error: ChatEvent | undefined }> {
  const earlier = await box.client.conversations.read({ params: { id: question.id } }).then(
    ({ chat }) => chat.messages.map((message) => ({ role: message.role, content: message.content })),
    () => [],
  )
  const messages = [...earlier.slice(0, kept), { role: "user" as const, content }]
  const events: ChatEvent[] = []
  for await (const event of client.chat.send({ body: { messages, boxAddress: box.url, ...question } }))
    events.push(event)
  return {
    text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
    notices: events.flatMap((event) => (event.type === "notice" ? event.code : [])),
    error: events.find((event) => event.type === "error"),
  }
}
