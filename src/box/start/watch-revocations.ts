import type { DirectoryPoller } from "../core/data-directory/watch-data-directory.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import type { EventBus } from "../core/event-bus.ts"
import type { Logger } from "../core/logging/logger.ts"
import { withTimeout } from "../core/waiting/abort-and-timeout.ts"
import type { Keys } from "../features/accounts/keys.ts"
import type { People } from "../features/accounts/people.ts"
import type { LiveConnections } from "../http/live-connections.ts"

export interface RevocationsDeps {
  /** Null if rows are on a database server, whose changes aren't visible in a directory. */
  directoryWatch: Pick<DirectoryPoller, "on"> | null
  database: Pick<OpenDatabase, "dataVersion">
  keys: Pick<Keys, "revoked">
  people: Pick<People, "disabledIds">
  live: LiveConnections
  bus: EventBus
  logger: Logger
}

/** How often to poll if rows are on a database server. */
const serverMs = 400
/** Timeout of a query before it is sent again. */
const answerMs = 5_000

/** Closes live connections of credentials, and ends work of users, that another process, such as a command, has revoked or disabled. */
export function watchRevocations({
  directoryWatch,
  database,
  keys,
  people,
  live,
  bus,
  logger,
}: RevocationsDeps): Disposable {
  /** Data version up to which all revoked connections have been closed. */
  let seen = database.dataVersion()
  let isAsking = false
  let isFailing = false

  async function endRevoked(): Promise<void> {
    for (const id of await keys.revoked(live.credentials())) live.close(id)
    bus.publish("people.disabled", { userIds: await people.disabledIds() })
  }

  async function ask(version: number): Promise<void> {
    isAsking = true
    try {
      await withTimeout(answerMs, endRevoked(), () => new Error("The database doesn't answer."))
      seen = version
      isFailing = false
    } catch (error) {
      if (!isFailing) logger.error({ err: error }, "Could not check for revoked credentials")
      isFailing = true
    } finally {
      isAsking = false
    }
  }

  function check(): void {
    const version = database.dataVersion()
    if (version !== seen && !isAsking) void ask(version)
  }

  if (directoryWatch) return directoryWatch.on(check)
  const timer = setInterval(check, serverMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
