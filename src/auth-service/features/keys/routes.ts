import express, { type Router } from "express"
import { cloudAccount } from "../../../shared/contract/cloud-account.ts"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import type { Admit } from "../../http/admit.ts"
import type { ReadJson } from "../../http/read-json.ts"
import type { Route } from "../../http/route.ts"
import type { Keys } from "./keys.ts"

const longestBody = 64 * 1024

/** Creating cloud keys, which takes a JWT: a key can't make another. A key may end itself. */
export function keyRoutes(route: Route, readJson: ReadJson, admit: Admit, keys: Keys): Router {
  const router = express.Router({ caseSensitive: true })
  const { createKey, endKey } = cloudAccount
  router.post(
    createKey.path,
    route(async (request, response) => {
      const caller = await admit(request, { jwtOnly: true })
      const draft = createKey.body.parse(await readJson(request, response, longestBody))
      response.json(await keys.create(caller.userId, draft))
    }),
  )
  router.delete(
    endKey.path,
    route(async (request, response) => {
      const { key } = await admit(request, {})
      if (key === null) throw new ServiceError("FORBIDDEN", "Send the cloud key that is to end, not a JWT.")
      await keys.revoke(key.id)
      response.json({ success: true })
    }),
  )
  return router
}
