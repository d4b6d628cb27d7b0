import type { DatabaseSchema } from "./database-schema.ts"

/** Tables of full-text search, which are queried only in raw SQL. */
type SearchTable = "fileNames" | "messageTexts"

/**
 * Owner of each table: the directory in `features/` that reads and writes it, or core. Other features use the functions of its owner that
 * `compose.ts` passes to them.
 */
export const tableOwners = {
  users: "accounts",
  workspaces: "accounts",
  memberships: "accounts",
  apiKeys: "accounts",
  keyCalls: "accounts",
  sessions: "accounts",
  signInTokens: "accounts",
  providerAccounts: "accounts",
  settings: "core",
  unusedObjects: "core",
  usedObjects: "core",
  userSettings: "settings",
  notifications: "notifications",
  notificationCounts: "notifications",
  folders: "folders",
  files: "files",
  fileCounts: "files",
  folderSizes: "files",
  namedFiles: "files",
  fileNames: "files",
  folderMounts: "files",
  unfinishedChanges: "files",
  returningFiles: "files",
  trashedFiles: "files",
  awaitedFolders: "files",
  fileArrivals: "files",
  fileTexts: "files",
  passages: "files",
  passageEmbeddings: "files",
  pictureDescriptions: "files",
  assistants: "assistants",
  memories: "memory",
  conversations: "chat",
  conversationCounts: "chat",
  messages: "chat",
  answerPieces: "chat",
  searchedMessages: "chat",
  messageTexts: "chat",
  retrievals: "chat",
  approvals: "chat",
  parkedTurns: "chat",
  begunTurns: "chat",
  rememberedTools: "chat",
  chatFiles: "chat",
  chatImports: "chat",
  readNotes: "chat",
  readNoteFiles: "chat",
  projects: "projects",
  queuedQuestions: "queue",
  automations: "automations",
  automationRuns: "automations",
  questions: "questions",
  filings: "filing",
  fileHistory: "filing",
  deletions: "deletions",
  toolServers: "integrations",
  modelServers: "models",
  supportTickets: "support",
  egress: "privacy",
  quotas: "quotas",
  dailyUse: "quotas",
  auditLog: "audit",
} as const satisfies Record<keyof DatabaseSchema | SearchTable, string>

type Owners = typeof tableOwners
export type TableOwner = Owners[keyof Owners]

/** The tables of one owner, as Kysely sees them. */
export type TablesOf<Owner extends TableOwner> = {
  [Table in keyof DatabaseSchema as Owners[Table] extends Owner ? Table : never]: DatabaseSchema[Table]
}
