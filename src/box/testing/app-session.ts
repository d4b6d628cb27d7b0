import { sessionSecretHeader, socketProtocols } from "../../shared/contract/session.ts"

/** Headers that a signed-in user's page sends with every request. */
export interface AppSession extends Record<string, string> {
  origin: string
  cookie: string
  [sessionSecretHeader]: string
}

/** Exchanges a sign-in token as the page does, with the browser's existing session, if any. */
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

/** Returns the headers that the page sends from then on; empty if sign-in was refused. */
export async function getSession(url: string, answer: Response): Promise<AppSession> {
  const { secret } = (await answer.json()) as { secret?: string | null }
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? ""
  return { origin: url, cookie, [sessionSecretHeader]: secret ?? "" }
}

export const signIn = async (url: string, token: string): Promise<AppSession> =>
  getSession(url, await exchange(url, token))

/** Extracts the token from a sign-in link. */
export const tokenIn = (link: string): string => new URL(link).hash.split("token=")[1] ?? ""

/** Options with which a session's page opens a WebSocket. */
export const getSocket = ({ origin, cookie, [sessionSecretHeader]: secret }: AppSession) => ({
  protocols: socketProtocols(secret),
  headers: { origin, cookie },
})

/** Creates an API key with a session, as the page does. */
export async function getKey(url: string, session: AppSession): Promise<string> {
  const answer = await fetch(`${url}/api/public/keys`, {
    method: "POST",
    headers: { ...session, "content-type": "application/json" },
    body: JSON.stringify({ name: "Mine" }),
  })
  return ((await answer.json()) as { key: string }).key
}
