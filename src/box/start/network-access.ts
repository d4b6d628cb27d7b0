import { networkInterfaces } from "node:os"
import type { NetworkState } from "../../shared/contract/settings.ts"
import type { BoxConfig } from "../box-config.ts"
import type { Logger } from "../core/logging/logger.ts"
import { isLoopbackHost } from "../core/outbound/loopback.ts"
import type { Entrance } from "./entrance.ts"

/** Whether other computers reach the box, as its owner says while it runs. */
export interface NetworkAccess extends Disposable {
  /** Lets them in or shuts them out; settles once it is so, with whoever was in cut off. */
  set(on: boolean): Promise<void>
  /** The addresses that they may name, with the port; none while they are shut out. */
  hosts(): string[]
  state(): NetworkState
}

export interface NetworkAccessDeps {
  config: Pick<BoxConfig, "host">
  entrance: Pick<Entrance, "alsoAt" | "port">
  logger: Logger
  /** This computer's addresses in its networks. */
  addresses?: () => string[]
}

/** A computer may come into another network while it runs. */
const lookMs = 30_000

export function createNetworkAccess({
  config,
  entrance,
  logger,
  addresses = ownAddresses,
}: NetworkAccessDeps): NetworkAccess {
  // Whoever chose an address at the start has it for this run.
  const decided = !isLoopbackHost(config.host)
  let on = false
  let open: string[] = []
  let failed: string[] = []
  let timer: NodeJS.Timeout | undefined
  /** One change after the other: the last one holds. */
  let changes: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const wanted = on ? addresses() : []
    if (wanted.join() === [...open, ...failed].join()) return
    // Shut out before the connections are: none that comes meanwhile is answered.
    open = open.filter((address) => wanted.includes(address))
    failed = await entrance.alsoAt(wanted)
    open = wanted.filter((address) => !failed.includes(address))
    if (failed.length > 0)
      logger.warn({ failed }, "The box can't be reached at all of this computer's addresses")
    if (open.length > 0) logger.warn({ addresses: open }, "Other computers can reach this box")
    else logger.info({}, "Other computers can't reach this box")
  }

  const soon = () => (changes = changes.then(look, look))
  const hostOf = (address: string) => `${address}:${entrance.port()}`
  const urlOf = (address: string) => `http://${hostOf(address)}`

  return {
    set(wanted) {
      if (decided) return Promise.resolve()
      on = wanted
      clearInterval(timer)
      if (on) timer = setInterval(() => void soon(), lookMs).unref()
      return soon()
    },
    hosts: () => open.map(hostOf),
    state: () => ({
      on: on || decided,
      decidedBy: decided ? "start" : "settings",
      addresses: (on ? open : decided ? [] : addresses()).map(urlOf),
      failed: failed.map(urlOf),
    }),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Of IPv4, which people can type. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address)
    .toSorted()
}
