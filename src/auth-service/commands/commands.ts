import { once } from "node:events"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { type HelpCommand, type HelpFlag, type Program, programName } from "../../serve/command-help.ts"
import { readStorage, UsageError, type AuthFlags, readConfig, loadSecret } from "../auth-config.ts"
import { compose } from "../compose.ts"
import { silentLogger, createLogger } from "../core/logger.ts"
import { openDatabase, sqlitePath } from "../core/open-database.ts"
import { addUser } from "../features/accounts/members.ts"
import { startAuthService } from "../start-auth-service.ts"

export interface CommandFlags extends AuthFlags {
  password?: string | undefined
  name?: string | undefined
  company?: string | undefined
  staff?: boolean | undefined
  "per-day"?: string | undefined
  "per-minute"?: string | undefined
  json?: boolean | undefined
}

/** A subcommand of the command line. It works on the database, so the service may run at the same time. */
interface Command extends HelpCommand {
  /** Returns the lines to print on stdout. */
  run(flags: CommandFlags, args: readonly string[]): Promise<string[]>
}

/**
 * Runs `use` with the service's parts, without a server. Throws `UsageError` if the data directory has no database, because its name may be
 * mistyped, unless the command may create one.
 */
async function withParts<T>(
  flags: AuthFlags,
  use: (parts: Awaited<ReturnType<typeof compose>>) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const { dataDir, databaseUrl } = readStorage(flags)
  if (!mayCreate && databaseUrl === null && !existsSync(sqlitePath(dataDir)))
    throw new UsageError(
      `${dataDir} contains no data of the auth service. Start the service first, or give the right directory with --data.`,
    )
  const secret = loadSecret(dataDir)
  await using database = await openDatabase(dataDir, databaseUrl)
  return await use(await compose({ database, secret, publicUrl: null, logger: silentLogger }))
}

/** One line of a list. */
const row = (...cells: (string | number | null)[]): string => cells.map((cell) => cell ?? "-").join("\t")

const jsonFlag: HelpFlag = { name: "json", about: "Print as JSON" }

/** The lines of a list: JSON, or one row for each item. */
const printList = <T>(
  { json }: CommandFlags,
  items: readonly T[],
  cells: (item: T) => (string | number | null)[],
): string[] => (json === true ? [JSON.stringify(items, null, 2)] : items.map((item) => row(...cells(item))))

/** Time limit for a program to write the password. There is none for a person at a terminal. */
const pipedMs = 60_000

/**
 * Returns an account's password. `--password` works with a warning, because every user of the computer can read a program's arguments.
 * Without it, or with `--password -`, reads a line of standard input; a terminal prompts for it without echo.
 * @throws UsageError if there is no input.
 */
async function readPassword(
  given: string | undefined,
  input: NodeJS.ReadStream = process.stdin,
): Promise<string> {
  if (given !== undefined && given !== "-") {
    process.stderr.write(
      "Other users of this computer can read --password while the command runs. Leave it out to be asked, or pipe the password in.\n",
    )
    return given
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: silent, terminal: input.isTTY })
  if (input.isTTY) process.stderr.write("Password: ")
  try {
    const signal = input.isTTY ? undefined : AbortSignal.timeout(pipedMs)
    const first = once(lines, "line", signal && { signal }) as Promise<[string]>
    const [line] = await Promise.race([first, once(lines, "close").then(() => [""] as const)])
    if (line === "") throw new UsageError("The password is missing: type it when asked, or pipe it in.")
    return line
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error
    throw new UsageError("No password was given within a minute: type it when asked, or pipe it in.")
  } finally {
    if (input.isTTY) process.stderr.write("\n")
    lines.close()
    input.destroy()
  }
}

const userCommands: readonly Command[] = [
  {
    words: ["users", "add"],
    takes: ["EMAIL"],
    summary: "Add an account; asks for the password, or reads it from stdin",
    flags: [
      { name: "name", takes: "NAME", about: "Name of the person", required: true },
      { name: "company", takes: "COMPANY", about: "Their company" },
      { name: "staff", about: "Make the person support staff, who answer tickets" },
      {
        name: "password",
        takes: "PASSWORD",
        about: "Password; other users can read arguments, so pipe it in",
      },
    ],
    run: async ({ password: given, name, company, staff, ...flags }, [email = ""]) => {
      if (name === undefined || name.trim() === "") throw new UsageError("--name NAME is missing.")
      const password = await readPassword(given)
      const draft = { email, password, name: name.trim(), staff: staff === true, company: company ?? null }
      return withParts(
        flags,
        async ({ library, members }) => {
          const member = await addUser(library, members, draft)
          return [row(member.id, member.email, member.name)]
        },
        { mayCreate: true }, // the first account is often added before the first start
      )
    },
  },
  {
    words: ["users", "list"],
    takes: [],
    summary: "List accounts",
    flags: [jsonFlag],
    run: (flags) =>
      withParts(flags, async ({ members }) =>
        printList(flags, await members.all(), ({ id, email, name, staff, blocked }) => [
          id,
          email,
          name,
          staff ? "staff" : null,
          blocked ? "blocked" : null,
        ]),
      ),
  },
  {
    words: ["users", "block"],
    takes: ["EMAIL"],
    summary: "Block an account and its keys",
    flags: [],
    run: (flags, [email = ""]) =>
      withParts(flags, async ({ members }) => {
        await members.change(email, { blocked: 1 })
        return [`Blocked ${email}`]
      }),
  },
  {
    words: ["users", "unblock"],
    takes: ["EMAIL"],
    summary: "Unblock an account",
    flags: [],
    run: (flags, [email = ""]) =>
      withParts(flags, async ({ members }) => {
        await members.change(email, { blocked: 0 })
        return [`Unblocked ${email}`]
      }),
  },
]

const keyCommands: readonly Command[] = [
  {
    words: ["keys", "list"],
    takes: [],
    summary: "List cloud keys with owner, state, expiry and last use",
    flags: [jsonFlag],
    run: (flags) =>
      withParts(flags, async ({ keys }) =>
        printList(flags, await keys.list(), ({ id, name, email, hint, enabled, expiresAt, lastUsedAt }) => [
          id,
          name,
          email,
          `${hint}…`,
          enabled ? "active" : "revoked",
          expiresAt,
          lastUsedAt,
        ]),
      ),
  },
  {
    words: ["keys", "revoke"],
    takes: ["ID"],
    summary: "Revoke a cloud key immediately",
    flags: [],
    run: (flags, [id = ""]) =>
      withParts(flags, async ({ keys }) => {
        await keys.revoke(id)
        return [`Revoked ${id}`]
      }),
  },
]

const largest = 1_000_000

function readCount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (/^\d{1,7}$/.test(text) && count <= largest) return count
  throw new UsageError(`${flag} takes a whole number from 0 to ${largest}, not "${text}".`)
}

const quotaCommands: readonly Command[] = [
  {
    words: ["quota", "set"],
    takes: ["EMAIL"],
    summary: "Change the limits of an account",
    flags: [
      { name: "per-day", takes: "N", about: "Maximum number of tickets a day" },
      { name: "per-minute", takes: "N", about: "Maximum number of requests a minute for each key" },
    ],
    run: (flags, [email = ""]) => {
      const ticketsPerDay = readCount("--per-day", flags["per-day"])
      const requestsPerMinute = readCount("--per-minute", flags["per-minute"])
      if (ticketsPerDay === undefined && requestsPerMinute === undefined) {
        throw new UsageError("Nothing to change. Give --per-day N, --per-minute N or both.")
      }
      return withParts(flags, async ({ members }) => {
        const member = await members.change(email, {
          ...(ticketsPerDay === undefined ? {} : { ticketsPerDay }),
          ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
        })
        const perDay = member.ticketsPerDay ?? "the default number of"
        const perMinute = member.requestsPerMinute ?? "the default number of"
        return [
          `${member.email} may create ${perDay} tickets a day and send ${perMinute} requests a minute per key`,
        ]
      })
    },
  },
]

export const commands: readonly Command[] = [...userCommands, ...keyCommands, ...quotaCommands]

/** Describes the command line, for help and errors. */
export const describeProgram = (): Program => ({
  name: programName("auth"),
  starts: "start the auth service",
  sections: [
    { title: "Accounts", commands: userCommands },
    { title: "Cloud keys", commands: keyCommands },
    { title: "Limits", commands: quotaCommands },
  ],
  serverFlags,
  mainFlags: serverFlags.length,
  everyFlags: serverFlags.filter(({ name }) => name === "data" || name === "database-url"),
  environment:
    "Environment: CASELLA_AUTH_DATA (data directory), CASELLA_AUTH_DATABASE_URL (PostgreSQL database).",
})

const serverFlags: readonly HelpFlag[] = [
  { name: "port", takes: "N", about: "Port to listen on (default 8585; 0 picks a free one)" },
  { name: "host", takes: "ADDRESS", about: "Address to listen on (default 127.0.0.1)" },
  { name: "data", takes: "DIR", about: "Data directory" },
  {
    name: "database-url",
    takes: "URL",
    about: "PostgreSQL database (default: a file in the data directory)",
  },
  { name: "public-url", takes: "URL", about: "Address at which clients reach the service" },
]

/** Time limit for stopping the service. */
const stopTimeoutMs = 4_500

/** The support page's files, relative to the bundle (`out/main`) or to the sources. */
const pageDir = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "../../../resources/support-page" : "../../resources/support-page",
    import.meta.url,
  ),
)

/** Runs the service until SIGTERM or SIGINT. Prints one line of JSON on stdout when it is ready. */
export async function runService(flags: AuthFlags): Promise<void> {
  const config = readConfig(flags)
  const service = await startAuthService(config, pageDir, createLogger())
  const ready = { event: "ready", url: service.url, pid: process.pid, dataDir: config.dataDir }
  process.stdout.write(`${JSON.stringify(ready)}\n`)

  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    service[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`The auth service didn't stop cleanly: ${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
}
