import { once } from "node:events"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { fileURLToPath } from "node:url"
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
}

/** A subcommand of the command line. It works on the database, so the service may run at the same time. */
interface Command {
  words: readonly string[]
  /** Names of its arguments. */
  takes: readonly string[]
  summary: string
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
      `${dataDir} holds no data of the auth service. Start the service first, or name the right directory with --data.`,
    )
  const secret = loadSecret(dataDir)
  await using database = await openDatabase(dataDir, databaseUrl)
  return await use(await compose({ database, secret, publicUrl: null, logger: silentLogger }))
}

/** One line of a list. */
const row = (...cells: (string | number | null)[]): string => cells.map((cell) => cell ?? "-").join("\t")

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
      "Other users of this computer can read --password while it runs. Leave it out to be asked, or pipe the password in.\n",
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
    throw new UsageError("No password came within a minute: type it when asked, or pipe it in.")
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
    summary:
      "add an account (--name N [--company C] [--staff]); asks for the password, or reads it from standard input",
    run: async ({ password: given, name, company, staff, ...flags }, [email = ""]) => {
      if (name === undefined || name.trim() === "") throw new UsageError("--name N is missing.")
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
    summary: "id, e-mail address, name, staff, blocked",
    run: (flags) =>
      withParts(flags, async ({ members }) =>
        (await members.all()).map(({ id, email, name, staff, blocked }) =>
          row(id, email, name, staff ? "staff" : null, blocked ? "blocked" : null),
        ),
      ),
  },
  {
    words: ["users", "block"],
    takes: ["EMAIL"],
    summary: "refuse an account and its keys from now on",
    run: (flags, [email = ""]) =>
      withParts(flags, async ({ members }) => {
        await members.change(email, { blocked: 1 })
        return [`Blocked ${email}`]
      }),
  },
  {
    words: ["users", "unblock"],
    takes: ["EMAIL"],
    summary: "let a blocked account in again",
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
    summary: "id, name, owner, start of the key, state, expiry, last use",
    run: (flags) =>
      withParts(flags, async ({ keys }) =>
        (await keys.list()).map(({ id, name, email, hint, enabled, expiresAt, lastUsedAt }) =>
          row(id, name, email, `${hint}…`, enabled ? "active" : "revoked", expiresAt, lastUsedAt),
        ),
      ),
  },
  {
    words: ["keys", "revoke"],
    takes: ["ID"],
    summary: "end a cloud key at once",
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
    summary: "change a user's limits (--per-day N tickets, --per-minute N requests of each key)",
    run: (flags, [email = ""]) => {
      const ticketsPerDay = readCount("--per-day", flags["per-day"])
      const requestsPerMinute = readCount("--per-minute", flags["per-minute"])
      if (ticketsPerDay === undefined && requestsPerMinute === undefined) {
        throw new UsageError("Say what to change: --per-day N, --per-minute N, or both.")
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

export function usage(): string {
  const rows = commands.map(({ words, takes, summary }) => [[...words, ...takes].join(" "), summary] as const)
  const width = Math.max(...rows.map(([call]) => call.length))
  return [
    "Usage: npm run --silent auth -- [COMMAND] [--data DIR] [--database-url postgres://…]",
    "",
    "Without a command it runs the auth service:",
    "  --port N (8585; 0 picks a free one)  --host H (127.0.0.1)  --public-url URL",
    "",
    "Commands:",
    ...rows.map(([call, summary]) => `  ${call.padEnd(width)}  ${summary}`),
  ].join("\n")
}

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
