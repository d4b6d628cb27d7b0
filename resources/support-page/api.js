// @ts-check
/** @import { Pagination } from "../../src/shared/contract/primitives.ts" */
/** @import { Ticket, TicketState, TicketSummary } from "../../src/shared/contract/tickets.ts" */

/** An answer that isn't a success; the message is a sentence for a person. */
export class ApiError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** @typedef {{ id: string, email: string, name: string, staff: boolean }} User */

// The JWT lives in this variable only. The cookie that renews it is out of reach of scripts, but goes to every port of the
// computer: it counts only with a secret, which storage keeps by the page's origin.
let jwt = ""
const secretKey = "session-secret"

/**
 * @param {string} method @param {string} path @param {object} [body]
 * @returns {Promise<Response>}
 */
async function send(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = jwt === "" ? {} : { authorization: `Bearer ${jwt}` }
  const secret = localStorage.getItem(secretKey)
  if (secret !== null) headers["x-session-secret"] = secret
  if (body !== undefined) headers["content-type"] = "application/json"
  const answer = await fetch(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, "The service can't be reached. Check the connection and try again.")
  })
  if (answer.ok) return answer
  const { error } = await answer
    .json()
    .catch(() => ({ error: { message: `The service answered ${answer.status}.` } }))
  throw new ApiError(answer.status, error.message)
}

/**
 * Sends with the JWT, which is renewed once when it has expired.
 * @param {string} method @param {string} path @param {object} [body]
 */
async function ask(method, path, body) {
  try {
    return await send(method, path, body)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    await renew()
    return send(method, path, body)
  }
}

/** @param {Promise<Response>} answer @returns {Promise<User>} */
async function keep(answer) {
  const session = await (await answer).json()
  jwt = session.jwt
  localStorage.setItem(secretKey, session.secret)
  return session.user
}

/** @param {string} email @param {string} password */
export const signIn = (email, password) => keep(send("POST", "/api/auth/sign-in/email", { email, password }))

/** The user of the session cookie. */
export function renew() {
  jwt = ""
  return keep(send("POST", "/api/auth/token"))
}

export async function signOut() {
  jwt = ""
  await send("POST", "/api/auth/sign-out")
  localStorage.removeItem(secretKey)
}

/** @param {URLSearchParams} query @returns {Promise<{ tickets: TicketSummary[], pagination: Pagination }>} */
export const list = async (query) => (await ask("GET", `/api/v1/tickets?${query}`)).json()

/** @param {string} id @returns {Promise<Ticket>} */
export const read = async (id) =>
  (await (await ask("GET", `/api/v1/tickets/${encodeURIComponent(id)}`)).json()).ticket

/** @param {string} id @param {string} status @returns {Promise<TicketState>} */
export const change = async (id, status) =>
  (await (await ask("PATCH", `/api/v1/tickets/${encodeURIComponent(id)}`, { status })).json()).ticket

/** @param {URLSearchParams} query */
export const exportCsv = async (query) => (await ask("GET", `/api/v1/tickets.csv?${query}`)).blob()
