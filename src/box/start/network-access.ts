import { networkInterfaces } from "node:os"
import type { NetworkState } from "../../shared/contract/settings.ts"
import type { BoxConfig } from "../box-config.ts"
import type { Logger } from "../core/logging/logger.ts"
import { isLoopbackHost } from "../core/outbound/loopback.ts"
import type { Entrance } from "./entrance.ts"

/** Controls whether other computers can reach the box; the owner can change it while the box runs. */
export interface NetworkAccess extends Disposable {
  /** Allows or blocks other computers. Settles after the change has taken effect and, when blocking, after their connections are closed. */
  set(on: boolean): Promise<void>
  /** The host names with port that other computers may use; empty while they are blocked. */
  hosts(): string[]
  state(): NetworkState
}

export interface NetworkAccessDeps {
  config: Pick<BoxConfig, "host">
  entrance: Pick<Entrance, "setExtraAddresses" | "port">
  logger: Logger
  /** This computer's network addresses. */
  addresses?: () => string[]
}

/** Poll interval, because a computer can join another network while the box runs. */
const pollIntervalMs = 30_000

export function createNetworkAccess({
  config,
  entrance,
  logger,
  addresses = ownAddresses,
}: NetworkAccessDeps): NetworkAccess {
  // A listening address chosen at startup applies for the whole run.
  const decided = !isLoopbackHost(config.host)
  let on = false
  let open: string[] = []
  let failed: string[] = []
  let timer: NodeJS.Timeout | undefined
  /** Changes run one after another, so the last one applies. */
  let changes: Promise<void> = Promise.resolve()

  async function check(): Promise<void> {
    const wanted = on ? addresses() : []
    if (wanted.join() === [...open, ...failed].join()) return
    // Remove the addresses before closing their connections, so that requests arriving in between aren't answered.
    open = open.filter((address) => wanted.includes(address))
    failed = await entrance.setExtraAddresses(wanted)
    open = wanted.filter((address) => !failed.includes(address))
    if (failed.length > 0)
      logger.warn({ failed }, "The box can't be reached at all of this computer's addresses")
    if (open.length > 0) logger.warn({ addresses: open }, "Other computers can reach this box")
    else logger.info({}, "Other computers can't reach this box")
  }

  const soon = () => (changes = changes.then(check, check))
  const getHost = (address: string) => `${address}:${entrance.port()}`
  const getUrl = (address: string) => `http://${getHost(address)}`

  return {
    set(wanted) {
      if (decided) return Promise.resolve()
      on = wanted
      clearInterval(timer)
      if (on) timer = setInterval(() => void soon(), pollIntervalMs).unref()
      return soon()
    },
    hosts: () => open.map(getHost),
    state: () => ({
      on: on || decided,
      decidedBy: decided ? "start" : "settings",
      addresses: (on ? open : decided ? [] : addresses()).map(getUrl),
      failed: failed.map(getUrl),
    }),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Returns IPv4 addresses only, because people can type them. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address)
    .toSorted()
}
