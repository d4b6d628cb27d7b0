import express, { type Request, type Router } from "express"
import { cloudAccount } from "../../../shared/contract/cloud-account.ts"
import { sessionSecretHeader } from "../../../shared/contract/session.ts"
import { valuesOf } from "../../http/authenticate.ts"
import type { ReadJson } from "../../http/read-json.ts"
import type { Route } from "../../http/route.ts"
import type { PageSession, SignedIn, SignIn } from "./sign-in.ts"

/** An e-mail address and a password of the longest kind, escaped: a stranger's body takes little memory. */
const longestBody = 16 * 1024

/** Signing in, JWTs and their public keys. */
export function accountRoutes(route: Route, readJson: ReadJson, signIn: SignIn): Router {
  const router = express.Router({ caseSensitive: true })
  const present = ({ jwt, user, secret }: SignedIn) => ({ jwt, user, secret })
  const pageOf = (request: Request): PageSession => {
    const [secret, ...more] = valuesOf(request, sessionSecretHeader)
    return { cookie: request.headers.cookie ?? "", secret: more.length === 0 ? secret : undefined }
  }

  router.post(
    cloudAccount.signIn.path,
    route(async (request, response) => {
      const body = cloudAccount.signIn.body.parse(await readJson(request, response, longestBody))
      const session = await signIn.signIn(body.email, body.password, request.ip ?? "")
      response.append("set-cookie", session.cookies).json(present(session))
    }),
  )
  router.post(
    cloudAccount.token.path,
    route(async (request, response) => {
      const session = await signIn.renew(pageOf(request))
      response.append("set-cookie", session.cookies).json(present(session))
    }),
  )
  router.post(
    cloudAccount.signOut.path,
    route(async (request, response) => {
      response.append("set-cookie", await signIn.signOut(pageOf(request))).json({ success: true })
    }),
  )
  router.get(
    cloudAccount.keySet.path,
    route(async (_request, response) => {
      response.json(await signIn.keySet())
    }),
  )
  return router
}
