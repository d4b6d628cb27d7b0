import { sessionSecretHeader, socketProtocols } from "../../shared/contract/session.ts"

/** What the page of somebody who is signed in sends with every request. */
export interface AppSession extends Record<string, string> {
  origin: string
  cookie: string
  [sessionSecretHeader]: string
}

/** Exchanges a sign-in token as the page does, with the session that the browser has, if any. */
export const exchange = (
  url: string,
  token: string,
  { session, replace }: { session?: Partial<AppSession>; replace?: boolean } = {},
): Promise<Response> =>
  fetch(`${url}/api/public/session`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json", ...session } as Record<string, string>,
    body: JSON.stringify({ token, ...(replace === undefined ? {} : { replace }) }),
  })

/** What the page sends from now on; empty where it wasn't let in. */
export async function sessionOf(url: string, answer: Response): Promise<AppSession> {
  const { secret } = (await answer.json()) as { secret?: string | null }
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? ""
  return { origin: url, cookie, [sessionSecretHeader]: secret ?? "" }
}

export const signIn = async (url: string, token: string): Promise<AppSession> =>
  sessionOf(url, await exchange(url, token))

/** Of a sign-in link. */
export const tokenIn = (link: string): string => new URL(link).hash.split("token=")[1] ?? ""

/** How the page of a session opens a WebSocket. */
export const socketOf = ({ origin, cookie, [sessionSecretHeader]: secret }: AppSession) => ({
  protocols: socketProtocols(secret),
  headers: { origin, cookie },
})

/** A key made with a session, as the page makes one. */
export async function keyOf(url: string, session: AppSession): Promise<string> {
  const answer = await fetch(`${url}/api/public/keys`, {
    method: "POST",
    headers: { ...session, "content-type": "application/json" },
    body: JSON.stringify({ name: "Mine" }),
  })
  return ((await answer.json()) as { key: string }).key
}
