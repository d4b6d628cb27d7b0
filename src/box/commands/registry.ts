import { type Program, programName } from "../../serve/command-help.ts"
import type { serverOptions } from "./arguments.ts"
import type { Command, Flag } from "./command.ts"

const accounts = async () => (await import("./accounts.ts")).accountCommands
const backups = async () => (await import("./backup.ts")).backupCommands
const folders = async () => (await import("./folders.ts")).folderCommands
const activity = async () => (await import("./activity.ts")).activityCommands
const models = async () => (await import("./models.ts")).modelCommands

/** The commands by their first word. Each group loads only what it needs. */
const groups: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  chat: async () => [(await import("./chat/chat.ts")).chatCommand],
  search: async () => [(await import("./search.ts")).searchCommand],
  ask: async () => [(await import("./ask.ts")).askCommand],
  notify: async () => [(await import("./notify.ts")).notifyCommand],
  status: activity,
  folders,
  files: folders,
  chats: activity,
  automations: activity,
  models,
  signin: accounts,
  keys: accounts,
  users: accounts,
  workspaces: accounts,
  backup: backups,
  restore: backups,
  salvage: async () => [(await import("./backup.ts")).salvageCommand],
  move: async () => [(await import("./move.ts")).moveCommand],
  mcp: async () => [(await import("./mcp.ts")).mcpCommand],
  completion: async () => [(await import("./completion.ts")).completionCommand],
  complete: async () => [(await import("./completion.ts")).completeCommand({ allCommands, findCommand })],
}

/** Sections of the help, with the first words of their commands. */
const sections: readonly [title: string, words: readonly string[]][] = [
  ["Ask and search", ["chat", "search", "ask", "notify"]],
  ["Contents", ["status", "folders", "files", "chats", "automations"]],
  ["Models", ["models"]],
  ["Access", ["signin", "keys", "users", "workspaces"]],
  ["Data", ["backup", "restore", "salvage", "move"]],
  ["Other", ["mcp", "completion"]],
]

/** Options of the server, the most important ones first. */
const serverFlags: readonly (Flag & { name: keyof typeof serverOptions })[] = [
  { name: "port", takes: "N", about: "Port to listen on (default 8484; 0 picks a free one)" },
  { name: "host", takes: "ADDRESS", about: "Address to listen on (default 127.0.0.1)" },
  { name: "data", takes: "DIR", about: "Data directory" },
  {
    name: "model",
    takes: "FILE|URL",
    about: "Chat model: a .gguf file, or an OpenAI-compatible /v1 address",
  },
  { name: "embedding-model", takes: "FILE|URL", about: "Embedding model, given in the same way" },
  { name: "local-only", about: "Never connect to other computers" },
  { name: "allow-host", takes: "NAME", about: "Host name that clients may use (repeatable)" },
  { name: "allow-origin", takes: "ORIGIN", about: "Web origin that may call the API (repeatable)" },
  { name: "public-url", takes: "URL", about: "Address that browsers use, such as that of an HTTPS proxy" },
  { name: "auth-url", takes: "URL", about: "Auth service for cloud accounts and support tickets" },
  {
    name: "database-url",
    takes: "URL",
    about: "PostgreSQL database (default: a file in the data directory)",
  },
  {
    name: "files",
    takes: "s3://BUCKET/PREFIX",
    about: "Object store for files (default: the data directory)",
  },
  {
    name: "vectors",
    takes: "s3://BUCKET/PREFIX",
    about: "Object store for the search index (default: the data directory)",
  },
  { name: "files-cache-gb", takes: "N", about: "Maximum size of local copies of files (default 10)" },
  { name: "vectors-cache-gb", takes: "N", about: "Maximum size of local copies of the index (default 10)" },
  { name: "peer-url", takes: "URL", about: "Address at which standby servers reach this server" },
  { name: "oidc-issuer", takes: "URL", about: "OpenID Connect provider that people sign in with" },
  { name: "oidc-client-id", takes: "ID", about: "Client ID that the provider gave this server" },
  { name: "oidc-groups", takes: "NAMES|*", about: "Groups that may sign in, separated by commas; * for all" },
  { name: "oidc-owner-groups", takes: "NAMES", about: "Groups whose members are owners" },
  { name: "oidc-groups-claim", takes: "NAME", about: "Claim that lists the groups (default groups)" },
]
const mainServerFlags = 8

/** Options of every command. */
const everyFlags: readonly Flag[] = [
  { name: "data", takes: "DIR", about: "Data directory of the server" },
  {
    name: "database-url",
    takes: "URL",
    about: "PostgreSQL database, if the data isn't in the data directory",
  },
]

/** Returns the command that these words start with. */
export async function findCommand(words: readonly string[]): Promise<Command | undefined> {
  const [first = ""] = words
  const group = Object.hasOwn(groups, first) ? await groups[first]?.() : undefined
  return group?.find((command) => command.words.every((word, index) => words[index] === word))
}

export async function allCommands(): Promise<Command[]> {
  const loaded = await Promise.all([...new Set(Object.values(groups))].map((group) => group()))
  return loaded.flat()
}

/** Describes the command line, for help and errors. Loads all commands. */
export async function describeProgram(): Promise<Program> {
  const commands = (await allCommands()).filter(({ hidden }) => hidden !== true)
  return {
    name: programName("box"),
    starts: "start the server",
    sections: sections.map(([title, words]) => ({
      title,
      commands: words.flatMap((word) => commands.filter((command) => command.words[0] === word)),
    })),
    serverFlags,
    mainFlags: mainServerFlags,
    everyFlags,
    environment: "Environment: CASELLA_DATA (data directory), CASELLA_API_KEY (API key that commands use).",
  }
}
