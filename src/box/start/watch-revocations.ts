import type { OpenDatabase } from "../core/database/database.ts"
import type { EventBus } from "../core/event-bus.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { Keys } from "../features/accounts/keys.ts"
import type { People } from "../features/accounts/people.ts"
import type { LiveConnections } from "../http/live-connections.ts"

/** How often the box looks whether another process revoked a credential that has something open. */
const revocationCheckMs = 400

export interface RevocationsDeps {
  database: Pick<OpenDatabase, "dataVersion">
  keys: Pick<Keys, "revoked">
  people: Pick<People, "disabledIds">
  live: LiveConnections
  bus: EventBus
  logger: Logger
}

/** Ends what is open for credentials, and goes on for people, that another process, such as a command, took the right from. */
export function watchRevocations({ database, keys, people, live, bus, logger }: RevocationsDeps): Disposable {
  let seen = database.dataVersion()

  async function endRevoked(): Promise<void> {
    for (const id of await keys.revoked(live.credentials())) live.close(id)
    bus.publish("people.disabled", { userIds: await people.disabledIds() })
  }

  const timer = setInterval(() => {
    const version = database.dataVersion()
    if (version === seen) return
    seen = version
    endRevoked().catch((error: unknown) =>
      logger.error({ err: error }, "Could not check for revoked credentials"),
    )
  }, revocationCheckMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
