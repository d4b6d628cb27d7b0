import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Deletions } from "./service.ts"

export function deletionHandlers(deletions: Deletions): Handlers<typeof api.deletions> {
  return {
    async undo({ caller, body }) {
      const { kind, itemId } = await deletions.undo(caller, body.token)
      return { success: true, kind, id: itemId }
    },
  }
}
