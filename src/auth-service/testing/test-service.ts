import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Pagination } from "../../shared/contract/primitives.ts"
import type { ServiceErrorBody } from "../../shared/contract/service-errors.ts"
import type { Ticket, TicketSummary } from "../../shared/contract/tickets.ts"
import { commands, type CommandFlags } from "../commands/commands.ts"
import { compose } from "../compose.ts"
import type { OpenDatabase } from "../core/database.ts"
import { openDatabase } from "../core/open-database.ts"
import { silentLogger } from "../core/logger.ts"
import { loadSecret } from "../auth-config.ts"
import { startAuthService } from "../start-auth-service.ts"

export interface Account {
  email: string
  password: string
  jwt: string
}

/** All fields that a response may have; a test reads those that its endpoint sends. */
export interface AnswerBody {
  ticket: Ticket
  tickets: TicketSummary[]
  pagination: Pagination
  error: ServiceErrorBody["error"]
  jwt: string
  secret: string
  user: { id: string; email: string; name: string; staff: boolean }
  key: string
  id: string
  name: string
  expiresAt: string
  keys: { kid: string; d?: string }[]
  /** Text of a response that isn't JSON. */
  text: string
}

export interface Answer {
  status: number
  headers: Headers
  body: AnswerBody
}

export interface TestService extends AsyncDisposable {
  url: string
  dataDir: string
  /** The service's database, opened a second time. */
  database: OpenDatabase
  /** Runs a subcommand as the command line does, while the service runs. */
  run(words: string, flags?: CommandFlags): Promise<string[]>
  /** Adds an account and signs it in. */
  account(name: string, flags?: CommandFlags): Promise<Account>
  /** Creates a cloud key of an account. */
  key(account: Account, permissions?: Record<string, string[]> | null): Promise<{ key: string; id: string }>
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
  /** Signs a JWT with these claims, using the service's own key. */
  signJwt(claims: Record<string, unknown>): Promise<string>
  /** Sends headers that fetch doesn't send, such as Host. */
  sendRaw(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: object,
  ): Promise<{ status: number; cookies: string[] }>
  /** Posts a valid ticket with these additional fields. */
  ticket(bearer: string, fields?: object): Promise<Answer>
}

export interface SendOptions {
  bearer?: string
  /** Text and bytes are sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
}

export const validTicket = { sourceApp: "test-app", title: "It breaks", description: "Every time." }
export const password = "a long enough password"

/** A real service with a new directory and a free port; disposal removes everything. */
export async function startTestService(
  databaseUrl: string | null = null,
  publicUrl: string | null = null,
): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-auth-test-"))
  const config = { host: "127.0.0.1", port: 0, dataDir, databaseUrl, publicUrl }
  const service = await startAuthService(config, join(dataDir, "no-page"), silentLogger)
  const database = await openDatabase(dataDir, databaseUrl)
  const storage = { data: dataDir, ...(databaseUrl === null ? {} : { "database-url": databaseUrl }) }

  const test: TestService = {
    url: service.url,
    dataDir,
    database,

    async run(line, flags = {}) {
      const words = line.split(" ")
      const command = commands.find((candidate) =>
        candidate.words.every((word, index) => words[index] === word),
      )
      if (!command) throw new Error(`no command ${line}`)
      return command.run({ ...storage, ...flags }, words.slice(command.words.length))
    },

    async account(name, flags = {}) {
      const email = `${name}@example.com`
      await test.run(`users add ${email}`, { password, name, ...flags })
      const body = { email, password }
      const { body: session } = await test.send("POST", "/api/auth/sign-in/email", { body })
      return { email, password, jwt: session.jwt }
    },

    async key(account, permissions = null) {
      const body = { name: "Test", expiresIn: 3600, permissions }
      const options = { bearer: account.jwt, body }
      return (await test.send("POST", "/api/auth/api-key", options)).body
    },

    async send(method, path, { bearer, body, headers = {} } = {}) {
      const isRaw = typeof body === "string" || body instanceof Uint8Array
      const answer = await fetch(service.url + path, {
        method,
        headers: {
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
      })
      const text = await answer.text()
      const isJson = answer.headers.get("content-type")?.includes("json") === true
      const read = isJson ? (JSON.parse(text) as AnswerBody) : ({ text } as AnswerBody)
      return { status: answer.status, headers: answer.headers, body: read }
    },

    sendRaw: (method, path, headers, body) =>
      new Promise((resolve, reject) => {
        const options = { method, headers: { "content-type": "application/json", ...headers } }
        const outgoing = request(service.url + path, options, (answer) => {
          const cookies = answer.headers["set-cookie"] ?? []
          answer.resume().on("end", () => resolve({ status: answer.statusCode ?? 0, cookies }))
        })
        outgoing.on("error", reject)
        outgoing.end(JSON.stringify(body))
      }),

    async signJwt(payload) {
      const secret = loadSecret(dataDir)
      const { library } = await compose({ database, secret, publicUrl: null, logger: silentLogger })
      return (await library.api.signJWT({ body: { payload } })).token
    },

    ticket: (bearer, fields = {}) =>
      test.send("POST", "/api/v1/tickets", { bearer, body: { ...validTicket, ...fields } }),

    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  return test
}
