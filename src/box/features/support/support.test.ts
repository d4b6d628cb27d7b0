import { createServer, type RequestListener } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startTestService, type TestService } from "../../../auth-service/testing/test-service.ts"
import type { SupportTicket } from "../../../shared/contract/support.ts"
import { connectApp, type ConnectedApp } from "../../testing/clients.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let service: TestService
let staff: string
beforeAll(async () => {
  service = await startTestService()
  staff = (await service.account("staff", { staff: true })).jwt
})
afterAll(() => service[Symbol.asyncDispose]())

const draft = { title: "Search forgets my folder", description: "After a restart." }
const password = "a long enough password"

/** A server whose owner is signed in with this new account. */
async function signedIn(name: string): Promise<TestBox> {
  const { email } = await service.account(name)
  const box = await startTestBox({ authUrl: service.url })
  await box.client.support.signIn({ body: { email, password } })
  return box
}

/** Waits for notifications until a report is in the wanted state. */
async function until(
  box: TestBox,
  app: ConnectedApp,
  id: string,
  wanted: (ticket: SupportTicket) => boolean,
): Promise<SupportTicket> {
  for (;;) {
    const { ticket } = await box.client.support.read({ params: { id } })
    if (wanted(ticket)) return ticket
    await app.next("support")
  }
}
const hasState = (state: SupportTicket["state"]) => (ticket: SupportTicket) => ticket.state === state

/** The support service's tickets of an account. */
async function getQueue(name: string) {
  const { body } = await service.send("GET", `/api/v1/tickets?search=${name}@example.com`, { bearer: staff })
  return body.tickets
}

/** A server that responds in place of the auth service. */
async function standIn(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

describe("The account", () => {
  // Catches a stored password or unrestricted key, and a key that stays valid after signing out.
  it("keeps only a key that creates tickets, and revokes it on signing out", async () => {
    await using box = await signedIn("kim")
    const { account } = await box.client.support.account()
    expect(account).toMatchObject({ authUrl: service.url, signedIn: true, email: "kim@example.com" })
    const secrets = await readFile(join(box.dataDir, "secrets.json"), "utf8")
    const [key] = /cloud_[\w-]+/.exec(secrets) ?? [""]
    expect(secrets).not.toContain(password)
    const row = await service.database.db
      .selectFrom("cloudKeys")
      .selectAll()
      .orderBy("id", "desc")
      .executeTakeFirst()
    expect(row?.permissions).toBe('{"tickets":["create"]}')
    expect((await box.client.support.signOut()).account.signedIn).toBe(false)
    expect((await service.ticket(key)).status).toBe(401)
  })

  it("accepts a pasted key, and reports what is wrong with an unsuitable one", async () => {
    const ann = await service.account("ann")
    const { key } = await service.key(ann, { tickets: ["create"] })
    const { key: other } = await service.key(ann, { folders: ["read"] })
    await using box = await startTestBox({ authUrl: service.url })
    for (const [wrong, message] of [
      [other, /permission tickets.create/],
      [`${key}x`, /wrong, expired or disabled/],
      [box.key, /API key of this Casella/],
    ] as const) {
      await expect(box.client.support.signIn({ body: { key: wrong } })).rejects.toThrow(message)
    }
    const signIn = { email: ann.email, password: "another password" }
    await expect(box.client.support.signIn({ body: signIn })).rejects.toMatchObject({ code: "validation" })
    expect((await box.client.support.signIn({ body: { key } })).account).toMatchObject({ signedIn: true })
  })

  // Catches a key that is sent to the next service that the server is started with.
  it("is valid only for its service and its user", async () => {
    await using box = await signedIn("lou")
    const member = await addUser(box, "mia@example.com")
    expect((await member.support.account()).account.signedIn).toBe(false)
    await box.restart({ authUrl: "http://127.0.0.1:9" })
    expect((await box.client.support.account()).account.signedIn).toBe(false)
    await box.restart({ authUrl: null })
    const { account } = await box.client.support.account()
    expect(account).toMatchObject({ authUrl: null, signedIn: false })
    await expect(box.client.support.signIn({ body: { key: "cloud_x" } })).rejects.toThrow(/--auth-url/)
  })

  it("needs full rights", async () => {
    await using box = await startTestBox({ authUrl: service.url })
    const { key } = await box.client.keys.create({ body: { name: "x", scopes: ["read-only"] } })
    await expect(box.getClient(key).support.list()).rejects.toMatchObject({ code: "forbidden" })
    await expect(box.getClient(key).support.logs({ body: { uiLogs: [] } })).rejects.toMatchObject({
      code: "forbidden",
    })
  })
})

describe("A report", () => {
  // Catches a secret in the sent report, and a status change that never reaches the ticket's author.
  it("arrives complete and without secrets, and its status is reported back", async () => {
    await using box = await signedIn("noa")
    using app = await connectApp(box.url, box.key)
    const secret = `box_${"k".repeat(43)}`
    const line = { ts: "2026-01-01", level: "error", message: `x-api-key: ${secret} in ${homedir()}/notes` }
    const shown = await box.client.support.logs({ body: { uiLogs: [line] } })
    expect(shown.uiLogs[0]?.message).not.toContain("kkk")
    expect(shown.serverLogs.map(({ message }) => message).join()).toContain("Ready")
    const { ticket } = await box.client.support.create({
      body: {
        ...draft,
        type: "QUESTION",
        screenshot: "data:image/png;base64,AA==",
        attachment: { name: "notes.txt", dataUrl: "data:text/plain;base64,QQ==" },
        uiLogs: [line],
        serverLogs: shown.serverLogs,
        page: "/dc",
      },
    })
    const { ticketId, status } = await until(box, app, ticket.id, hasState("sent"))
    expect(status).toBe("OPEN")
    const { body } = await service.send("GET", `/api/v1/tickets/${ticketId}`, { bearer: staff })
    expect(body.ticket).toMatchObject({
      ...draft,
      sourceApp: "casella",
      type: "QUESTION",
      screenshot: "data:image/png;base64,AA==",
      attachmentName: "notes.txt",
      attachmentMime: "text/plain",
      context: { externalId: ticket.id, page: "/dc" },
    })
    expect(JSON.stringify(body.ticket.uiLogs)).not.toMatch(new RegExp(`kkk|${homedir()}/`))
    expect((await box.client.support.read({ params: { id: ticket.id } })).draft).toBeNull()

    const change = { bearer: staff, body: { status: "RESOLVED" } }
    await service.send("PATCH", `/api/v1/tickets/${ticketId}`, change)
    await box.restart()
    using later = await connectApp(box.url, box.key)
    await until(box, later, ticket.id, (one) => one.status === "RESOLVED")
    await expect
      .poll(async () => (await box.client.notifications.list()).notifications)
      .toMatchObject([{ title: "Your report is resolved", deepLink: "/settings/support" }])
  })

  it("with the maximum size is sent", async () => {
    await using box = await signedIn("oda")
    using app = await connectApp(box.url, box.key)
    const { ticket } = await box.client.support.create({
      body: {
        ...draft,
        screenshot: `data:image/png,${"x".repeat(4_000_000 - 15)}`,
        attachment: { name: "a", dataUrl: `data:,${"x".repeat(8_000_000 - 6)}` },
      },
    })
    await until(box, app, ticket.id, hasState("sent"))
    const tooLong = { name: "a", dataUrl: `data:,${"x".repeat(8_000_000)}` }
    await expect(
      box.client.support.create({ body: { ...draft, attachment: tooLong } }),
    ).rejects.toMatchObject({
      code: "validation",
    })
    const endless = { ...draft, description: "x".repeat(20_000_001) }
    await expect(box.client.support.create({ body: endless })).rejects.toThrow(/larger than 20 MB/)
  })

  // Catches a report written offline that is lost, can't be corrected, or is sent twice.
  it("waits while signed out or offline, can be changed, and is sent once", async () => {
    const { email } = await service.account("pia")
    await using box = await startTestBox({ authUrl: "http://127.0.0.1:9" })
    const { ticket } = await box.client.support.create({ body: draft })
    const { id } = ticket
    using app = await connectApp(box.url, box.key)
    await until(box, app, id, ({ problem }) => problem?.code === "signed_out")
    const changed = { ...draft, title: "Changed while it waited" }
    await box.client.support.change({ params: { id }, body: changed })
    const { ticket: unwanted } = await box.client.support.create({ body: draft })
    await box.client.support.remove({ params: { id: unwanted.id } })
    await box.restart({ authUrl: service.url })
    using later = await connectApp(box.url, box.key)
    await box.client.support.signIn({ body: { email, password } })
    await until(box, later, id, hasState("sent"))
    expect((await getQueue("pia")).map(({ title }) => title)).toEqual([changed.title])
    await expect(box.client.support.change({ params: { id }, body: draft })).rejects.toMatchObject({
      code: "conflict",
    })
  })

  it("is visible only to its author, and only a limited number can wait", async () => {
    await using box = await startTestBox()
    const { ticket } = await box.client.support.create({ body: draft })
    const params = { id: ticket.id }
    const member = await addUser(box, "eve@example.com")
    for (const attempt of [
      () => member.support.read({ params }),
      () => member.support.change({ params, body: draft }),
      () => member.support.retry({ params }),
      () => member.support.remove({ params }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "not_found" })
    }
    expect((await member.support.list()).tickets).toEqual([])
    for (let index = 1; index < 20; index++) await box.client.support.create({ body: draft })
    await expect(box.client.support.create({ body: draft })).rejects.toMatchObject({ code: "conflict" })
  })

  // Catches a limit that concurrent reports all get past.
  it("is accepted if fewer than twenty are waiting, however many arrive at once", async () => {
    await using box = await startTestBox()
    const sent = Array.from({ length: 30 }, () => box.client.support.create({ body: draft }))
    const kept = (await Promise.allSettled(sent)).filter(({ status }) => status === "fulfilled")
    expect(kept).toHaveLength(20)
    expect((await box.client.support.list()).pagination.total).toBe(20)
  })
})

describe("A response from the service", () => {
  const answers =
    (status: number, code: string, headers: Record<string, string> = {}): RequestListener =>
    (request, response) => {
      request.resume()
      const mine = request.method === "GET"
      response.writeHead(mine ? 200 : status, { "content-type": "application/json", ...headers })
      const list = { tickets: [], pagination: { total: 0, limit: 1, offset: 0, hasMore: false } }
      response.end(JSON.stringify(mine ? list : { error: { code, message: "So it is." } }))
    }

  it.each([
    [429, "RATE_LIMITED", "waiting", "busy"],
    [429, "RETRY_REQUEST", "waiting", "busy"],
    [429, "QUOTA_EXCEEDED", "waiting", "quota"],
    [500, "INTERNAL_ERROR", "waiting", "busy"],
    [502, "BAD_GATEWAY", "unsure", "no_answer"],
    [400, "VALIDATION_ERROR", "refused", "invalid"],
    [401, "UNAUTHORIZED", "refused", "unauthorized"],
    [403, "FORBIDDEN", "refused", "forbidden"],
    [413, "PAYLOAD_TOO_LARGE", "refused", "too_large"],
  ] as const)("%d %s means %s", async (status, code, state, problem) => {
    await using other = await standIn(answers(status, code, { "retry-after": "60" }))
    await using box = await startTestBox({ authUrl: other.url })
    await box.client.support.signIn({ body: { key: "cloud_x" } })
    using app = await connectApp(box.url, box.key)
    const before = Date.now()
    const { id } = (await box.client.support.create({ body: draft })).ticket
    const ticket = await until(box, app, id, (one) => one.problem !== null)
    expect([ticket.state, ticket.problem?.code]).toEqual([state, problem])
    const wait = ticket.nextAttemptAt === null ? null : Date.parse(ticket.nextAttemptAt) - before
    // Waits at least as long as the service asked.
    if (state === "refused") expect(wait).toBeNull()
    else expect(wait).toBeGreaterThanOrEqual(60_000)
  })

  // Catches a credential that follows a redirect to another server.
  it("with a redirect isn't followed", async () => {
    const reached: unknown[] = []
    await using elsewhere = await standIn((request, response) => {
      reached.push(request.headers.authorization)
      response.end("{}")
    })
    await using other = await standIn((request, response) => {
      request.resume()
      response.writeHead(307, { location: elsewhere.url }).end()
    })
    await using box = await startTestBox({ authUrl: other.url })
    await expect(box.client.support.signIn({ body: { key: "cloud_x" } })).rejects.toMatchObject({
      code: "unavailable",
    })
    expect(reached).toEqual([])
  })
})

describe("A ticket whose answer is lost", () => {
  /** Passes all requests on to the service, but cuts the connection instead of confirming that a ticket was created. */
  const losing =
    (lose: () => boolean): RequestListener =>
    (request, response) => {
      const pass = async () => {
        const pieces: Buffer[] = []
        for await (const piece of request) pieces.push(piece as Buffer)
        const answer = await fetch(service.url + request.url, {
          method: request.method ?? "GET",
          headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
          ...(pieces.length === 0 ? {} : { body: Buffer.concat(pieces).toString() }),
        })
        if (request.method === "POST" && lose()) {
          request.socket.destroy()
          return
        }
        response.writeHead(answer.status, { "content-type": "application/json" })
        response.end(await answer.text())
      }
      pass().catch(() => request.socket.destroy()) // the box or the service has ended
    }

  // Catches a report that is sent again although it had arrived.
  it("is found by its ID instead of being sent twice", async () => {
    const ann = await service.account("ria")
    const { key } = await service.key(ann, { tickets: ["create"] })
    let lost = 0
    await using between = await standIn(losing(() => lost++ === 0))
    await using box = await startTestBox({ authUrl: between.url })
    await box.client.support.signIn({ body: { key } })
    using app = await connectApp(box.url, box.key)
    const { id } = (await box.client.support.create({ body: draft })).ticket
    const unsure = await until(box, app, id, hasState("unsure"))
    expect(unsure.problem?.code).toBe("no_answer")
    await expect(box.client.support.change({ params: { id }, body: draft })).rejects.toMatchObject({
      code: "conflict",
    })
    await box.client.support.retry({ params: { id } })
    const sent = await until(box, app, id, hasState("sent"))
    expect((await getQueue("ria")).map((ticket) => ticket.id)).toEqual([sent.ticketId])
  })
})
