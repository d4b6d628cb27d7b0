import type { Client } from "../../shared/client/http-client.ts"
import type { Automation } from "../../shared/contract/automations.ts"
import type { ConversationSummary, StoredMessage } from "../../shared/contract/conversations.ts"
import { dataDirectory } from "../box-config.ts"
import { type Command, jsonFlag, readLimit } from "./command.ts"
import { answeringModels, findByName, listAll, listFolders } from "./names.ts"
import { callerFlags, withRunningBox } from "./running-box.ts"
import { columns, plainJson, plainLine, plainText, printList } from "./terminal.ts"

const pageSize = 200
const defaultChats = 20
const maxChats = 1_000

/** State of the running server. */
interface Status {
  url: string
  version: string
  dataDir: string
  /** Name of the model that answers; null if passages are quoted. */
  model: string | null
  /** Whether search uses an embedding model. */
  embeds: boolean
  folders: number
  files: number
  /** Files that wait or are being read. */
  pendingFiles: number
  failedFiles: number
  unreadNotifications: number
}

export const activityCommands: readonly Command[] = [
  {
    words: ["status"],
    takes: [],
    summary: "Show the running server, its model and the state of its files",
    flags: [jsonFlag, ...callerFlags],
    callsBox: true,
    run: (flags) =>
      withRunningBox(flags, async ({ client, url }) => {
        const status = await readStatus(client, { url, dataDir: dataDirectory(flags) })
        return flags.json === true ? [plainJson(status)] : columns(statusRows(status))
      }),
  },
  {
    words: ["chats", "list"],
    takes: [],
    summary: "List chats, the latest first",
    flags: [
      {
        name: "limit",
        takes: "N",
        about: `Maximum number of chats, up to ${maxChats} (default ${defaultChats})`,
      },
      jsonFlag,
      ...callerFlags,
    ],
    callsBox: true,
    run(flags) {
      const limit = readLimit(flags.limit, maxChats) ?? defaultChats
      return withRunningBox(flags, async ({ client }) => {
        const chats = await listAll(
          Math.min(limit, pageSize),
          async (page) => {
            const found = await client.conversations.list({ query: page })
            return { items: found.chats, total: found.pagination.total }
          },
          limit,
        )
        return printList(flags, chats, chatRow)
      })
    },
  },
  {
    words: ["chats", "show"],
    takes: ["ID"],
    summary: "Print the messages of a chat",
    flags: [jsonFlag, ...callerFlags],
    callsBox: true,
    run: (flags, [id = ""]) =>
      withRunningBox(flags, async ({ client }) => {
        const { chat } = await client.conversations.read({ params: { id } })
        return flags.json === true
          ? [plainJson(chat)]
          : [plainLine(chat.title), ...chat.messages.flatMap(messageLines)]
      }),
  },
  {
    words: ["automations", "list"],
    takes: [],
    summary: "List automations with their next and last run",
    flags: [jsonFlag, ...callerFlags],
    callsBox: true,
    run: (flags) =>
      withRunningBox(flags, async ({ client }) =>
        printList(flags, await listAutomations(client), automationRow),
      ),
  },
  {
    words: ["automations", "run"],
    takes: ["NAME|ID"],
    summary: "Run an automation now",
    flags: [jsonFlag, ...callerFlags],
    callsBox: true,
    run: (flags, [given = ""]) =>
      withRunningBox(flags, async ({ client }) => {
        const { id } = findByName("automation", given, await listAutomations(client))
        const { run } = await client.automations.run({ params: { id } })
        return flags.json === true ? [plainJson(run)] : columns([[run.id, run.status]])
      }),
  },
]

async function readStatus(
  client: Client,
  { url, dataDir }: Pick<Status, "url" | "dataDir">,
): Promise<Status> {
  const [{ version }, folders, { chat, embedding }, [model], { count }] = await Promise.all([
    client.account.health(),
    listFolders(client),
    client.models.state(),
    answeringModels(client),
    client.notifications.unreadCount(),
  ])
  const sum = (field: "fileCount" | "pendingCount" | "failedCount") =>
    folders.reduce((total, folder) => total + folder[field], 0)
  return {
    url,
    version,
    dataDir,
    model: chat === null ? null : (model?.name ?? chat.id),
    embeds: embedding !== null,
    folders: folders.length,
    files: sum("fileCount"),
    pendingFiles: sum("pendingCount"),
    failedFiles: sum("failedCount"),
    unreadNotifications: count,
  }
}

const statusRows = (status: Status): string[][] => [
  ["Server", `${status.url}, version ${status.version}`],
  ["Data", status.dataDir],
  ["Model", status.model ?? "none: answers quote passages"],
  ["Search", status.embeds ? "by keywords and by meaning" : "by keywords"],
  ["Folders", String(status.folders)],
  ["Files", `${status.files}, of which ${status.pendingFiles} are waiting and ${status.failedFiles} failed`],
  ["Notifications", `${status.unreadNotifications} unread`],
]

const chatRow = ({ id, updatedAt, messageCount, title }: ConversationSummary): string[] => [
  id,
  updatedAt,
  `${messageCount} messages`,
  title,
]

const messageLines = ({ role, content, model }: StoredMessage): string[] => [
  "",
  role === "user" ? "You:" : `${plainLine(model ?? "Casella")}:`,
  plainText(content),
]

const automationRow = ({ id, name, enabled, nextRunAt, lastRun }: Automation): string[] => [
  id,
  enabled ? "on" : "off",
  nextRunAt === null ? "-" : `next ${nextRunAt}`,
  lastRun === null ? "-" : `last ${lastRun.status}`,
  name,
]

/** All automations, read page by page. */
const listAutomations = (client: Client): Promise<Automation[]> =>
  listAll(pageSize, async (page) => {
    const found = await client.automations.list({ query: page })
    return { items: found.automations, total: found.pagination.total }
  })
