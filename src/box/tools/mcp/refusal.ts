import type { ServerTarget } from "../../../shared/contract/integrations.ts"
import type { AppError } from "../../../shared/contract/errors.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"

/** Returns why local-only mode prevents the use of a server, or null if it is allowed. */
export function refusalOfServer(
  outbound: Pick<Outbound, "refusal" | "programRefusal">,
  target: ServerTarget,
): AppError | null {
  return target.kind === "command" ? outbound.programRefusal() : outbound.refusal(target.url)
}
