import type { DirectoryLooks } from "../core/data-directory/directory-looks.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import type { EventBus } from "../core/event-bus.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { Keys } from "../features/accounts/keys.ts"
import type { People } from "../features/accounts/people.ts"
import type { LiveConnections } from "../http/live-connections.ts"

export interface RevocationsDeps {
  /** Null: rows are on a server, of whose changes no directory tells. */
  looks: Pick<DirectoryLooks, "on"> | null
  database: Pick<OpenDatabase, "dataVersion">
  keys: Pick<Keys, "revoked">
  people: Pick<People, "disabledIds">
  live: LiveConnections
  bus: EventBus
  logger: Logger
}

/** How often is looked where rows are on a server. */
const serverMs = 400

/** Ends what is open for credentials, and goes on for people, that another process, such as a command, took the right from. */
export function watchRevocations({
  looks,
  database,
  keys,
  people,
  live,
  bus,
  logger,
}: RevocationsDeps): Disposable {
  let seen = database.dataVersion()

  async function endRevoked(): Promise<void> {
    for (const id of await keys.revoked(live.credentials())) live.close(id)
    bus.publish("people.disabled", { userIds: await people.disabledIds() })
  }

  function look(): void {
    const version = database.dataVersion()
    if (version === seen) return
    seen = version
    endRevoked().catch((error: unknown) =>
      logger.error({ err: error }, "Could not check for revoked credentials"),
    )
  }

  if (looks) return looks.on(look)
  const timer = setInterval(look, serverMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
