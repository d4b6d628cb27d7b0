import { account, keys, people } from "./writers/accounts.ts"
import { assistants } from "./writers/assistants.ts"
import { automations } from "./writers/automations.ts"
import { chat, conversations } from "./writers/chats.ts"
import { deletions } from "./writers/deletions.ts"
import { files } from "./writers/files.ts"
import { folders } from "./writers/folders.ts"
import { integrations } from "./writers/integrations.ts"
import { memory } from "./writers/memory.ts"
import { modelServers } from "./writers/model-servers.ts"
import { modelOptions, models } from "./writers/models.ts"
import { notifications } from "./writers/notifications.ts"
import { projects } from "./writers/projects.ts"
import { filing } from "./writers/filing.ts"
import { questions } from "./writers/questions.ts"
import { queue } from "./writers/queue.ts"
import { settings } from "./writers/settings.ts"
import { storage } from "./writers/storage.ts"
import { support } from "./writers/support.ts"
import type { Desk, Feature, MakeWrite, NotWritten, Reader, Writer } from "./writer.ts"

/** Makes the writes of every feature and finds them again. A feature or endpoint without an entry doesn't compile. */
const registry: { [F in Feature]: Writer<F> } = {
  account,
  providerSignIn: { writes: {}, readers: [] }, // the next attempt stores its data again
  keys,
  people,
  settings,
  auditLog: { writes: {}, readers: [] },
  privacy: {
    writes: { clear: { none: "Forgets what left the computer; the lab lets nothing leave." } },
    readers: [],
  },
  models,
  modelServers,
  modelOptions,
  assistants,
  tools: { writes: {}, readers: [] },
  facts: { writes: {}, readers: [] },
  tables: { writes: {}, readers: [] },
  integrations,
  folders,
  files,
  chat,
  conversations,
  projects,
  queue,
  automations,
  filing,
  questions,
  quotas: {
    writes: {
      setDefault: { none: "One row, overwritten as a whole; a limit would refuse the lab's other writes." },
      setPerson: { none: "As `setDefault`." },
      setWorkspace: { none: "As `setDefault`." },
    },
    readers: [],
  },
  chatImports: {
    writes: {
      start: { none: "Fails with the box, and is done once more by who wants it." },
      confirm: { none: "As `start`; a test of its own kills a box in the midst of it." },
      stop: { none: "Ends what would have ended with the box." },
    },
    readers: [],
  },
  deletions,
  completions: {
    writes: {
      create: { none: "Passes a request on; nothing is stored." },
      respond: { none: "Passes a request on; nothing is stored." },
      message: { none: "Passes a request on; nothing is stored." },
      countTokens: { none: "Passes a request on; nothing is stored." },
      embeddings: { none: "Passes a request on; nothing is stored." },
    },
    readers: [],
  },
  mcpServer: { writes: {}, readers: [] }, // its tools write in the same way as chat and notifications
  memory,
  notifications,
  storage,
  support,
  logs: { writes: {}, readers: [] },
  operation: { writes: {}, readers: [] },
  page: { writes: {}, readers: [] },
}

interface AnyWriter {
  setUp?(desk: Desk): Promise<void>
  writes: Record<string, MakeWrite | NotWritten>
  readers: Reader[]
}
const features = Object.entries<AnyWriter>(registry)

/** Every kind of write, by feature and endpoint: `files.upload`. */
export const writes: ReadonlyMap<string, MakeWrite | NotWritten> = new Map(
  features.flatMap(([feature, writer]) =>
    Object.entries(writer.writes).map(([name, write]) => [`${feature}.${name}`, write] as const),
  ),
)

/** Features that members also write to, each with their own items. An item that another person's list shows has no known writer. */
const membersFeatures = new Set([
  "keys",
  "assistants",
  "folders",
  "files",
  "chat",
  "conversations",
  "memory",
  "notifications",
  "support",
])
const membersBooks = new Set([
  "keys",
  "assistants",
  "folders",
  "files",
  "chats",
  "chat folders",
  "facts",
  "notifications",
  "support",
])

export const isMembers = (write: string): boolean =>
  membersFeatures.has(write.split(".")[0] ?? "") && write !== "chat.approve"

export const readers: readonly Reader[] = features.flatMap(([, writer]) => writer.readers)

export const membersReaders: readonly Reader[] = readers.filter(({ book }) => membersBooks.has(book))

export async function setUp(desk: Desk): Promise<void> {
  for (const [, writer] of features) await writer.setUp?.(desk)
}

export async function setUpMember(desk: Desk): Promise<void> {
  for (const [name, writer] of features) if (membersFeatures.has(name)) await writer.setUp?.(desk)
}
