import { createHmac, timingSafeEqual } from "node:crypto"
import type { Request } from "express"
import type { cloudAccount } from "../../../shared/contract/cloud-account.ts"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import { sessionSecretHeader } from "../../../shared/contract/session.ts"
import { getValues } from "../../http/authenticate.ts"
import type { Handlers } from "../../http/http-server.ts"
import { isRefusal, type Library, type Member, type Members } from "./members.ts"

/**
 * Creates the secret that a page's session needs in addition to its cookie, which browsers send to every port of a computer. It is derived
 * from the session's token and the service's secret, so it isn't stored.
 */
export function createSessionSecrets(serviceSecret: string) {
  const of = (token: string) =>
    createHmac("sha256", serviceSecret).update(`session secret of ${token}`).digest("base64url")
  return {
    of,
    /** Compares in constant time. */
    isOf(token: string, given: string | undefined): boolean {
      const expected = Buffer.from(of(token))
      const offered = Buffer.from(given ?? "")
      return expected.length === offered.length && timingSafeEqual(expected, offered)
    },
  }
}

type SessionSecrets = ReturnType<typeof createSessionSecrets>

/** Whether a request has two session cookies. Another port of the computer may have set one, so neither is valid. */
const hasTwoSessions = (cookie: string): boolean =>
  cookie.split(";").filter((pair) => /^\s*(__Secure-)?casella\.session_token\s*=/.test(pair)).length > 1

interface SignedIn {
  jwt: string
  user: { id: string; email: string; name: string; staff: boolean }
  /** The page must send this with the cookie from now on. */
  secret: string
  /** Values for `Set-Cookie`. */
  cookies: string[]
}

/** Session data from a page: the cookie, and the secret that only the page has. */
interface PageSession {
  cookie: string
  secret: string | undefined
}

/** Counts attempts; throws `RATE_LIMITED` if there were too many. */
interface SignInThrottle {
  admit(email: string, address: string): Promise<void>
  /** Resets the attempts of this email address after a correct password. */
  forgive(email: string, address: string): Promise<void>
}

/** Signing in and out, and the resulting JWTs. */
interface SignIn {
  /** Throws the same `UNAUTHORIZED` for an unknown user, a wrong password and a blocked user. */
  signIn(email: string, password: string, address: string): Promise<SignedIn>
  /** Returns a new JWT for a session. Throws `UNAUTHORIZED`, also for a cookie without its secret. */
  renew(page: PageSession): Promise<SignedIn>
  /** Ends a session. Returns the `Set-Cookie` values that replace its cookie. Throws `UNAUTHORIZED` as `renew` does. */
  signOut(page: PageSession): Promise<string[]>
  keySet(): Promise<{ keys: Record<string, unknown>[] }>
  /** Returns the user that a JWT identifies, or null. */
  verifyJwt(jwt: string): Promise<string | null>
}

export function createSignIn(
  library: Library,
  members: Members,
  throttle: SignInThrottle,
  secrets: SessionSecrets,
): SignIn {
  async function getSession({ cookie, secret }: PageSession) {
    const session = hasTwoSessions(cookie)
      ? null
      : await library.api.getSession({ headers: new Headers({ cookie }), returnHeaders: true })
    if (!session?.response || !secrets.isOf(session.response.session.token, secret))
      throw new ServiceError("UNAUTHORIZED", "Your session has ended. Sign in again.")
    return { ...session.response, cookies: session.headers.getSetCookie() }
  }

  async function signedIn(member: Member | null, token: string, cookies: string[]): Promise<SignedIn> {
    if (member === null || member.blocked) throw refused()
    const { id, email, name, staff } = member
    const { token: jwt } = await library.api.signJWT({ body: { payload: { sub: id } } })
    return { jwt, user: { id, email, name, staff }, secret: secrets.of(token), cookies }
  }

  return {
    async signIn(email, password, address) {
      await throttle.admit(email, address)
      const answer = await library.api
        .signInEmail({ body: { email, password }, returnHeaders: true })
        .catch((error: unknown) => {
          throw isRefusal(error) ? refused() : error
        })
      await throttle.forgive(email, address)
      const { user, token } = answer.response
      return signedIn(await members.findById(user.id), token, answer.headers.getSetCookie())
    },

    async renew(page) {
      const { user, session, cookies } = await getSession(page)
      return signedIn(await members.findById(user.id), session.token, cookies)
    },

    async signOut(page) {
      await getSession(page)
      const { cookie } = page
      const answer = await library.api.signOut({ headers: new Headers({ cookie }), returnHeaders: true })
      return answer.headers.getSetCookie()
    },

    async keySet() {
      const { keys } = await library.api.getJwks()
      return { keys: keys.map((key) => ({ ...key, use: "sig" })) }
    },

    async verifyJwt(jwt) {
      const { payload } = await library.api.verifyJWT({ body: { token: jwt } })
      return payload?.sub ?? null
    },
  }
}

const refused = () => new ServiceError("UNAUTHORIZED", "The e-mail address or the password is wrong.")

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
