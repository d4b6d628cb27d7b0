import type { Request } from "express"
import type { cloudAccount } from "../../../shared/contract/cloud-account.ts"
import { sessionSecretHeader } from "../../../shared/contract/session.ts"
import { getValues } from "../../http/authenticate.ts"
import type { Handlers } from "../../http/http-server.ts"
import type { PageSession, SignIn } from "./sign-in.ts"

/** Routes for signing in, JWTs and their public keys. */
export function accountHandlers(
  signIn: SignIn,
): Pick<Handlers<typeof cloudAccount>, "signIn" | "token" | "signOut" | "keySet"> {
  const getPage = (request: Request): PageSession => {
    const [secret, ...more] = getValues(request, sessionSecretHeader)
    return { cookie: request.headers.cookie ?? "", secret: more.length === 0 ? secret : undefined }
  }
  return {
    async signIn({ body, request, response }) {
      const session = await signIn.signIn(body.email, body.password, request.ip ?? "")
      response.append("set-cookie", session.cookies)
      return session
    },
    async token({ request, response }) {
      const session = await signIn.renew(getPage(request))
      response.append("set-cookie", session.cookies)
      return session
    },
    async signOut({ request, response }) {
      response.append("set-cookie", await signIn.signOut(getPage(request)))
      return { success: true }
    },
    keySet: () => signIn.keySet(),
  }
}
