import type { Scope } from "../../shared/contract/endpoint.ts"
import { createClient, type Client } from "../../shared/client/http-client.ts"
import { AppError } from "../../shared/contract/errors.ts"
import { dataDirectory } from "../box-config.ts"
import { findRunningBox } from "../core/data-directory/run-file.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { createKeys, type Keys } from "../features/accounts/keys.ts"
import { createPeople } from "../features/accounts/people.ts"
import { chosenUser } from "./accounts.ts"
import { withDatabase, type CommandFlags, type Flag } from "./command.ts"
import { Interrupted, stopSignals } from "./interrupted.ts"

/** The running box, as a command sees it: by its public API, as any other program. */
export interface RunningBox {
  url: string
  /** What is sent as `x-api-key`. */
  key: string
  client: Client
  /** A client of the box that runs now: one that was started again is at another address. Throws `unavailable` when none runs. */
  current(): Client
  /** Aborts, with an `Interrupted`, when this command is told to stop. */
  stopped: AbortSignal
}

const notRunning = "The box isn't running. Open Casella, or start it with: npm run --silent box"
const keyIsSeen =
  "Other users of this computer can read --key while it runs. Give the key as CASELLA_API_KEY instead."

/** As whom the box is called. */
export const callerFlags: readonly Flag[] = [
  { name: "user", takes: "EMAIL", about: "as whom; the local owner unless given" },
  { name: "key", takes: "KEY", about: "an API key to use instead; better given as CASELLA_API_KEY" },
]

/**
 * Calls the box that runs on the data directory, with the key that `--key` or `CASELLA_API_KEY` gives; without one as the
 * local owner, or `--user`, by a key that lives as long as the command: whoever can write the data directory may act as its
 * users. `scopes` limits that key.
 * @throws AppError `unavailable` when no box runs; `Interrupted` when the command is told to stop
 */
export async function withRunningBox<T>(
  flags: CommandFlags,
  use: (box: RunningBox) => Promise<T>,
  scopes: Scope[] | null = null,
): Promise<T> {
  const address = () => {
    const box = findRunningBox(dataDirectory(flags))
    if (!box) throw new TerminalError("unavailable", notRunning)
    return box.url
  }
  const url = address()
  const stop = new AbortController()
  const handlers = stopSignals.map((signal) => [signal, () => stop.abort(new Interrupted(signal))] as const)
  for (const [signal, handler] of handlers) process.on(signal, handler)
  const readerGone = () => stop.abort(new Interrupted("SIGPIPE"))
  process.stdout.on("error", readerGone)
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
    process.stdout.off("error", readerGone)
  }
}

const ownKeyName = (pid: number) => `Command line (process ${pid})`

/** The database is closed meanwhile: a conversation, or a bridge for another program, may go on for days. */
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

/** Also one that somebody has ended already. */
async function endKey(keys: Keys, userId: string, id: string): Promise<void> {
  await keys.revoke(userId, id).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error
  })
}

/** Commands that are killed leave their key; the next one ends it. */
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
