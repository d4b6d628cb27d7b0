import type { Scope } from "../../shared/contract/endpoint.ts"
import { createClient, type Client } from "../../shared/client/http-client.ts"
import { AppError } from "../../shared/contract/errors.ts"
import { programName } from "../../serve/command-help.ts"
import { dataDirectory } from "../box-config.ts"
import { findRunningBox } from "../core/data-directory/instance-lock.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { createKeys, type Keys } from "../features/accounts/keys.ts"
import { createPeople } from "../features/accounts/people.ts"
import { chosenUser } from "./accounts.ts"
import { withDatabase, type CommandFlags, type Flag, Interrupted, stopSignals } from "./command.ts"

/** The running box as a command sees it: through its public API, like any other program. */
export interface RunningBox {
  url: string
  /** Sent as `x-api-key`. */
  key: string
  client: Client
  /** Returns a client of the box that runs now; a restarted box has another address. Throws `unavailable` if none is running. */
  current(): Client
  /** Aborts, with an `Interrupted`, when this command receives a stop signal. */
  stopped: AbortSignal
}

const notRunning = () =>
  `The server isn't running. Open Casella, or start the server with: ${programName("box").replace(/ --$/, "")}`
const keyIsSeen =
  "Other users of this computer can read --key while the command runs. Set CASELLA_API_KEY instead."

/** The user that the command acts as. */
export const callerFlags: readonly Flag[] = [
  { name: "user", takes: "EMAIL", about: "Act as this user (default: the local owner)" },
  {
    name: "key",
    takes: "KEY",
    about: "API key to use; CASELLA_API_KEY is safer, because other users can read arguments",
  },
]

/**
 * Calls the box that runs on the data directory, with the key from `--key` or `CASELLA_API_KEY`. Without a key, it acts as the local owner
 * or as `--user`, with a temporary key that lives as long as the command: anyone who can write to the data directory can act as its users.
 * `scopes` limits the temporary key.
 * @throws AppError `unavailable` if no box is running; `Interrupted` when the command receives a stop signal
 */
export async function withRunningBox<T>(
  flags: CommandFlags,
  use: (box: RunningBox) => Promise<T>,
  scopes: Scope[] | null = null,
): Promise<T> {
  const address = () => {
    const box = findRunningBox(dataDirectory(flags))
    if (!box) throw new TerminalError("unavailable", notRunning())
    return box.url
  }
  const url = address()
  const stop = new AbortController()
  const handlers = stopSignals.map((signal) => [signal, () => stop.abort(new Interrupted(signal))] as const)
  for (const [signal, handler] of handlers) process.on(signal, handler)
  const onBrokenPipe = () => stop.abort(new Interrupted("SIGPIPE"))
  process.stdout.on("error", onBrokenPipe)
  const useWith = (key: string) => {
    stop.signal.throwIfAborted()
    const clientAt = (baseUrl: string) => createClient({ baseUrl, headers: { "x-api-key": key } })
    return use({ url, key, client: clientAt(url), current: () => clientAt(address()), stopped: stop.signal })
  }
  try {
    if (flags.key !== undefined) process.stderr.write(`${keyIsSeen}\n`)
    const key = flags.key ?? process.env["CASELLA_API_KEY"]
    return await (key !== undefined && key !== "" ? useWith(key) : withOwnKey(flags, scopes, useWith))
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler)
    process.stdout.off("error", onBrokenPipe)
  }
}

const ownKeyName = (pid: number) => `Command line (process ${pid})`

/** The database is closed while the command runs: a chat, or a bridge for another program, can run for days. */
async function withOwnKey<T>(
  flags: CommandFlags,
  scopes: Scope[] | null,
  use: (key: string) => Promise<T>,
): Promise<T> {
  const { userId, id, key } = await withDatabase(flags, async ({ db }) => {
    const user = await chosenUser(createPeople(db), flags.user)
    const keys = createKeys(db, () => undefined)
    const left = (await keys.list(user.id)).filter(({ name }) => isOfEndedCommand(name))
    for (const key of left) await endKey(keys, user.id, key.id)
    const made = await keys.create(user.id, { name: ownKeyName(process.pid), scopes })
    return { userId: user.id, id: made.apiKey.id, key: made.key }
  })
  try {
    return await use(key)
  } finally {
    await withDatabase(flags, ({ db }) =>
      endKey(
        createKeys(db, () => undefined),
        userId,
        id,
      ),
    )
  }
}

/** Also accepts a key that was already revoked. */
async function endKey(keys: Keys, userId: string, id: string): Promise<void> {
  await keys.revoke(userId, id).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error
  })
}

/** A killed command leaves its key behind; the next command revokes it. */
function isOfEndedCommand(name: string): boolean {
  const pid = Number(/\d+/.exec(name)?.[0])
  if (name !== ownKeyName(pid)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH"
  }
}
