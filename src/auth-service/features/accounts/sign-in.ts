import { ServiceError } from "../../../shared/contract/service-errors.ts"
import { isRefusal, type Library } from "./library.ts"
import type { Member, Members } from "./members.ts"

export interface SignedIn {
  jwt: string
  user: { id: string; email: string; name: string; staff: boolean }
  /** Values for `Set-Cookie`. */
  cookies: string[]
}

/** Counts attempts; throws `RATE_LIMITED` when there were too many. */
export interface SignInThrottle {
  admit(email: string, address: string): Promise<void>
  /** A right password: the attempts of this e-mail address don't count any more. */
  forgive(email: string, address: string): Promise<void>
}

/** Signing in and out, and the JWTs that follow from it (interface.md 5, decisions.md 13). */
export interface SignIn {
  /** Throws `UNAUTHORIZED`, the same for an unknown user, a wrong password and a blocked user. */
  signIn(email: string, password: string, address: string): Promise<SignedIn>
  /** A fresh JWT for a session cookie. */
  renew(cookie: string): Promise<SignedIn>
  /** Ends the session of a cookie, if there is one. Answers what to set instead. */
  signOut(cookie: string): Promise<string[]>
  keySet(): Promise<{ keys: Record<string, unknown>[] }>
  /** The user a JWT speaks for, or null. */
  verifyJwt(jwt: string): Promise<string | null>
}

export function createSignIn(library: Library, members: Members, throttle: SignInThrottle): SignIn {
  async function signedIn(member: Member | null, cookies: string[]): Promise<SignedIn> {
    if (member === null || member.blocked) throw refused()
    const { id, email, name, staff } = member
    const { token } = await library.api.signJWT({ body: { payload: { sub: id } } })
    return { jwt: token, user: { id, email, name, staff }, cookies }
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
      return signedIn(await members.byId(answer.response.user.id), answer.headers.getSetCookie())
    },

    async renew(cookie) {
      const session = await library.api.getSession({ headers: new Headers({ cookie }), returnHeaders: true })
      if (session.response === null)
        throw new ServiceError("UNAUTHORIZED", "Your session has ended. Sign in again.")
      return signedIn(await members.byId(session.response.user.id), session.headers.getSetCookie())
    },

    async signOut(cookie) {
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
