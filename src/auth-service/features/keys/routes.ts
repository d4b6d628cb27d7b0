import type { cloudAccount } from "../../../shared/contract/cloud-account.ts"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Keys } from "./keys.ts"

/** Routes for creating and ending cloud keys. Creating one requires a JWT, because a key can't create another. A key may end itself. */
export function keyHandlers(keys: Keys): Pick<Handlers<typeof cloudAccount>, "createKey" | "endKey"> {
  return {
    createKey: ({ caller, body }) => keys.create(caller.userId, body),
    async endKey({ caller: { key } }) {
      if (key === null) throw new ServiceError("FORBIDDEN", "Send the cloud key that is to end, not a JWT.")
      await keys.revoke(key.id)
      return { success: true }
    },
  }
}
