import { isIP } from "node:net"
import { isOnOwnNetwork, isPublicAddress } from "../../core/safe-fetch/guarded-agent.ts"

/** Whether a host name from a URL refers to this computer or its network, judged by its text and not by what it resolves to. */
export function isLocalHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").toLowerCase()
  if (isIP(name) !== 0) return !isPublicAddress(name) || isOnOwnNetwork(name)
  return !name.includes(".") || name.endsWith(".localhost") || name.endsWith(".local")
}
