import type { ServerTarget } from "../../../shared/contract/integrations.ts"
import type { AppError } from "../../../shared/contract/errors.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"

/** Why local-only keeps a server from being used; null when it may be. */
export function refusalOfServer(
  outbound: Pick<Outbound, "refusal" | "programRefusal">,
  target: ServerTarget,
): AppError | null {
  return target.kind === "command" ? outbound.programRefusal() : outbound.refusal(target.url)
}
