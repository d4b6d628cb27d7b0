import type { DirectoryLooks } from "../core/data-directory/directory-looks.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import type { EventBus } from "../core/event-bus.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { Keys } from "../features/accounts/keys.ts"
import type { People } from "../features/accounts/people.ts"
import type { LiveConnections } from "../http/live-connections.ts"

export interface RevocationsDeps {
  looks: Pick<DirectoryLooks, "on">
  database: Pick<OpenDatabase, "dataVersion">
  keys: Pick<Keys, "revoked">
  people: Pick<People, "disabledIds">
  live: LiveConnections
  bus: EventBus
  logger: Logger
}

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

  return looks.on(() => {
    const version = database.dataVersion()
    if (version === seen) return
    seen = version
    endRevoked().catch((error: unknown) =>
      logger.error({ err: error }, "Could not check for revoked credentials"),
    )
  })
}
