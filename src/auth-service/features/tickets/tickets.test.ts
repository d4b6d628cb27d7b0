import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { stopClock } from "../../../shared/testing/stop-clock.ts"
import { startTestPostgres, type TestPostgres } from "../../../shared/testing/test-postgres.ts"
import { startTestService, validTicket, type Account, type TestService } from "../../testing/test-service.ts"

describe("Tickets on SQLite", () => ticketsOn(async () => null))

describe("Tickets on PostgreSQL", { tags: "postgresql" }, () => {
  let postgres: TestPostgres
  beforeAll(() => {
    postgres = startTestPostgres()
  })
  afterAll(() => postgres?.[Symbol.asyncDispose]())
  ticketsOn(() => postgres.createDatabase())
})

function ticketsOn(databaseUrl: () => Promise<string | null>) {
  let service: TestService
  let ann: Account
  let staff: Account
  let key: string
  beforeAll(async () => {
    service = await startTestService(await databaseUrl())
    ann = await service.account("ann", { company: "Acme" })
    await service.run(`quota set ${ann.email}`, { "per-day": "1000", "per-minute": "10000" })
    staff = await service.account("staff", { staff: true })
    key = (await service.key(ann)).key
  })
  afterAll(() => service?.[Symbol.asyncDispose]())

  const used = async (account: Account) => {
    const rows = await service.database.db
      .selectFrom("dailyTickets")
      .innerJoin("user", "user.id", "dailyTickets.userId")
      .select("used")
      .where("email", "=", account.email)
      .execute()
    return rows.reduce((sum, row) => sum + row.used, 0) // a row per day
  }
  const stored = async (fields: object) => {
    const { body } = await service.ticket(key, fields)
    return (await service.send("GET", `/api/v1/tickets/${body.ticket.id}`, { bearer: staff.jwt })).body.ticket
  }

  describe("creating", () => {
    // Catches a response with more or fewer fields than the contract, and one that a proxy may cache.
    it("returns 201 with id, time, status and origin, and forbids caching", async () => {
      const { status, headers, body } = await service.ticket(ann.jwt)
      expect(status).toBe(201)
      expect(headers.get("cache-control")).toBe("no-store")
      expect(Object.keys(body.ticket).toSorted()).toEqual(["createdAt", "id", "sourceApp", "status"])
      expect(body.ticket).toMatchObject({ status: "OPEN", sourceApp: "test-app" })
      expect(body.ticket.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    it("keeps every field, trimmed and normalised, under the owner of the key", async () => {
      const logs = [{ ts: "2026-01-01T00:00:00Z", level: "warn", message: "slow", src: "net" }]
      const ticket = await stored({
        sourceApp: "My App_2.0",
        title: "  Ünïcode 🎫  ",
        description: "\n It breaks. \n",
        type: "QUESTION",
        brand: "Casella",
        screenshot: "data:image/png;base64,iVBORw0KGgo=",
        attachment: "data:application/pdf;base64,JVBERi0=",
        attachmentName: "C:\\Users\\ann\\reports/last.pdf",
        attachmentMime: "application/pdf",
        uiLogs: logs,
        serverLogs: [{ ts: "", level: "", message: "" }],
        context: { externalId: "42", nested: { list: [1, null, true] } },
      })
      expect(ticket).toMatchObject({
        sourceApp: "my-app-2.0",
        title: "Ünïcode 🎫",
        description: "It breaks.",
        type: "QUESTION",
        brand: "Casella",
        screenshot: "data:image/png;base64,iVBORw0KGgo=",
        attachment: "data:application/pdf;base64,JVBERi0=",
        attachmentName: "last.pdf",
        attachmentMime: "application/pdf",
        uiLogs: logs,
        serverLogs: [{ ts: "", level: "", message: "" }],
        context: { externalId: "42", nested: { list: [1, null, true] } },
        user: { email: ann.email, name: "ann", company: "Acme" },
        status: "OPEN",
      })
    })

    it("applies defaults, and ignores the fields of a missing attachment", async () => {
      expect(await stored({ attachmentName: "a.txt", attachmentMime: "text/plain" })).toMatchObject({
        type: "BUG",
        brand: null,
        screenshot: null,
        attachment: null,
        attachmentName: null,
        attachmentMime: null,
        uiLogs: [],
        serverLogs: [],
        context: null,
      })
      expect(await stored({ attachment: "data:,x" })).toMatchObject({ attachmentName: "allegato" })
      for (const attachmentName of ["", "folder/", "..", "a\\..", "\0"]) {
        expect(await stored({ attachment: "data:,x", attachmentName })).toMatchObject({
          attachmentName: "allegato",
        })
      }
    })

    // Catches a 500 from PostgreSQL, whose text can't contain NUL, for a report that does.
    it("accepts text with NUL and lone surrogates", async () => {
      const line = { ts: "\0", level: "\ud800", message: "a\0b" }
      const ticket = await stored({
        title: "a\0bc",
        description: "\ud800\0",
        uiLogs: [line],
        context: { "\0": "\0" },
      })
      expect(ticket).toMatchObject({ title: "abc", uiLogs: [{ message: "a\0b" }], context: { "\0": "\0" } })
    })

    // Catches pieces of a large part that are joined in the wrong order, or split within a character.
    it("returns large parts as they were sent", async () => {
      const attachment = `data:text/plain,${Array.from({ length: 130_000 }, (_, index) => `${index}🎫`).join("")}`
      const context = { list: Array.from({ length: 100_000 }, (_, index) => index) }
      const ticket = await stored({ attachment, context })
      expect(ticket.attachment === attachment).toBe(true)
      expect(ticket.context).toEqual(context)
    })

    it("creates a new ticket each time, whatever context.externalId is", async () => {
      const context = { externalId: "same" }
      const first = await service.ticket(key, { context })
      const second = await service.ticket(key, { context })
      expect(second.status).toBe(201)
      expect(second.body.ticket.id).not.toBe(first.body.ticket.id)
    })
  })

  describe("quota", () => {
    beforeEach(() => stopClock())

    // Catches a quota that is counted outside the ticket's transaction, or before validation.
    it("isn't used up by invalid or failed requests", async () => {
      const before = await used(ann)
      expect((await service.ticket(key, { title: "" })).status).toBe(400)
      expect((await service.ticket(key, { extra: 1 })).status).toBe(400)
      expect(await used(ann)).toBe(before)
      await service.ticket(key)
      expect(await used(ann)).toBe(before + 1)
    })

    it("applies to the owner, whichever credential is used, and returns when to retry", async () => {
      const ben = await service.account("ben")
      await service.run(`quota set ${ben.email}`, { "per-day": "2" })
      const keys = [(await service.key(ben)).key, (await service.key(ben)).key]
      expect((await service.ticket(keys[0] ?? "")).status).toBe(201)
      expect((await service.ticket(ben.jwt)).status).toBe(201)
      const { status, headers, body } = await service.ticket(keys[1] ?? "")
      expect([status, body.error.code]).toEqual([429, "QUOTA_EXCEEDED"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(86_400)
      await service.run(`quota set ${ben.email}`, { "per-day": "3" })
      expect((await service.ticket(ben.jwt)).status).toBe(201)
    })

    // Catches checking and counting in two steps.
    it("allows exactly the remaining number of tickets, however many arrive at once", async () => {
      const cleo = await service.account("cleo")
      await service.run(`quota set ${cleo.email}`, { "per-day": "10", "per-minute": "1000" })
      const { key: cleoKey } = await service.key(cleo)
      const answers = await Promise.all(Array.from({ length: 60 }, () => service.ticket(cleoKey)))
      const codes = answers.map(({ status, body }) => (status === 201 ? 201 : body.error.code))
      expect(codes.filter((code) => code === 201)).toHaveLength(10)
      expect(codes.filter((code) => code === "QUOTA_EXCEEDED")).toHaveLength(50)
      expect(await used(cleo)).toBe(10)
    })
  })

  describe("another writer that doesn't finish", () => {
    // Catches a request that waits for ever, or a 500 for something that a retry would fix.
    it("causes RETRY_REQUEST, and nothing is created", async () => {
      const finn = await service.account("finn")
      const { key: finnKey } = await service.key(finn)
      const answer = await service.database.db.transaction().execute(async (transaction) => {
        await transaction.updateTable("cloudKeys").set({ uses: 0 }).execute()
        return service.ticket(finnKey)
      })
      expect([answer.status, answer.body.error.code]).toEqual([429, "RETRY_REQUEST"])
      expect(answer.headers.get("retry-after")).toBe("1")
      expect(await used(finn)).toBe(0)
      expect((await service.ticket(finnKey)).status).toBe(201)
    })
  })

  describe("rate", () => {
    beforeEach(() => stopClock())

    it("is 120 requests a minute for each key by default, including refused tickets", async () => {
      const dora = await service.account("dora")
      const first = (await service.key(dora)).key
      const second = (await service.key(dora)).key
      for (let batch = 0; batch < 4; batch++) {
        const answers = await Promise.all(
          Array.from({ length: 30 }, () => service.ticket(first, { title: "" })),
        )
        expect(answers.every(({ status }) => status === 400)).toBe(true)
      }
      const { status, headers, body } = await service.ticket(first)
      expect([status, body.error.code]).toEqual([429, "RATE_LIMITED"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60)
      expect((await service.ticket(second)).status).toBe(201)
    })
  })

  describe("the queue", () => {
    it("is for staff only", async () => {
      const { id } = (await service.ticket(key)).body.ticket
      for (const bearer of [ann.jwt, key]) {
        const list = await service.send("GET", "/api/v1/tickets", { bearer })
        const csv = await service.send("GET", "/api/v1/tickets.csv", { bearer })
        const one = await service.send("GET", `/api/v1/tickets/${id}`, { bearer })
        const change = await service.send("PATCH", `/api/v1/tickets/${id}`, {
          bearer,
          body: { status: "CLOSED" },
        })
        expect([list.status, csv.status, one.status, change.status]).toEqual([403, 403, 403, 403])
        expect(list.body.error.code).toBe("FORBIDDEN")
      }
      expect((await service.send("GET", "/api/v1/tickets")).status).toBe(401)
    })

    it("filters by origin, status and text, newest first, in pages", async () => {
      for (const title of ["Één %", "two _", "three"]) {
        await service.ticket(key, { sourceApp: "Filter App", title })
      }
      const list = async (query: string) =>
        (await service.send("GET", `/api/v1/tickets?${query}`, { bearer: staff.jwt })).body
      const titles = async (query: string) => (await list(query)).tickets.map(({ title }) => title)
      expect(await titles("sourceApp=Filter_App")).toEqual(["three", "two _", "Één %"])
      expect(await titles("sourceApp=filter-app&search=%C3%89%C3%89N")).toEqual(["Één %"])
      expect(await titles("sourceApp=filter-app&search=%25")).toEqual(["Één %"])
      expect(await titles("sourceApp=filter-app&search=_")).toEqual(["two _"])
      const page = await list("sourceApp=filter-app&limit=1&offset=1")
      expect(page.tickets.map(({ title }) => title)).toEqual(["two _"])
      expect(page.pagination).toEqual({ total: 3, limit: 1, offset: 1, hasMore: true })
      const id = page.tickets[0]?.id ?? ""
      const changed = await service.send("PATCH", `/api/v1/tickets/${id}`, {
        bearer: staff.jwt,
        body: { status: "IN_PROGRESS" },
      })
      expect(changed.body.ticket).toMatchObject({ id, status: "IN_PROGRESS" })
      expect(await titles("sourceApp=filter-app&status=IN_PROGRESS")).toEqual(["two _"])
    })

    it("refuses unknown values", async () => {
      const bearer = staff.jwt
      for (const query of ["limit=0", "limit=201", "offset=-1", "limit=ten", "status=NEW"]) {
        expect((await service.send("GET", `/api/v1/tickets?${query}`, { bearer })).status, query).toBe(400)
      }
      expect((await service.send("GET", "/api/v1/tickets/unknown", { bearer })).status).toBe(404)
      const { id } = (await service.ticket(key)).body.ticket
      for (const body of [{ status: "NEW" }, {}, { status: "OPEN", title: "x" }]) {
        expect((await service.send("PATCH", `/api/v1/tickets/${id}`, { bearer, body })).status).toBe(400)
      }
    })

    // Catches a ticket title that runs as a formula in support's spreadsheet.
    it("exports CSV whose cells can't run", async () => {
      await service.ticket(key, {
        sourceApp: "csv",
        title: '=HYPERLINK("http://evil")',
        description: 'a,"b"\nc',
      })
      const { headers, body } = await service.send("GET", "/api/v1/tickets.csv?sourceApp=csv", {
        bearer: staff.jwt,
      })
      expect(headers.get("content-type")).toContain("text/csv")
      expect(headers.get("content-disposition")).toContain("attachment")
      expect(body.text).toContain(`"'=HYPERLINK(""http://evil"")","a,""b""\nc"`)
      expect(body.text.trimEnd().split("\r\n")).toHaveLength(2)
    })

    // Catches a formula at the start of a cell in spreadsheets that separate lists with semicolons.
    it("exports no formula, wherever a spreadsheet may start a cell", async () => {
      const title = 'a;=cmd|"/C calc"!A0'
      const description = 'steps\n=1+1\n  @SUM(A1)\n\uFF1D2\u0009-3 and 4-5;"+6'
      await service.ticket(key, { sourceApp: "formulas", title, description })
      const { body } = await service.send("GET", "/api/v1/tickets.csv?sourceApp=formulas", {
        bearer: staff.jwt,
      })
      const cells = body.text.replaceAll('""', "").split(/[;,|\t\r\n]/)
      expect(cells.filter((text) => /^[\s"]*[=+\-@\uFF1D]/.test(text))).toEqual([])
      expect(body.text).toContain("'=cmd")
      expect(body.text).toContain("and 4-5")
    })

    // Catches a program that looks like a document in the queue.
    it("removes characters that disguise a file name", async () => {
      const attachment = "data:application/pdf;base64,AAAA"
      const attachmentName = "..\\invoice\u202Efdp\r\n.exe"
      const { id } = (await service.ticket(key, { attachment, attachmentName })).body.ticket
      const { body } = await service.send("GET", `/api/v1/tickets/${id}`, { bearer: staff.jwt })
      expect(body.ticket.attachmentName).toBe("invoicefdp.exe")
    })

    it("shows users the state of their own tickets only", async () => {
      const eve = await service.account("eve")
      const { key: eveKey } = await service.key(eve, { tickets: ["create"] })
      const { id } = (await service.ticket(eveKey)).body.ticket
      await service.send("PATCH", `/api/v1/tickets/${id}`, {
        bearer: staff.jwt,
        body: { status: "RESOLVED" },
      })
      const { body } = await service.send("GET", "/api/v1/tickets/mine", { bearer: eveKey })
      expect(body.pagination.total).toBe(1)
      expect(body.tickets).toMatchObject([{ id, status: "RESOLVED" }])
      expect(Object.keys(body.tickets[0] ?? {})).not.toContain("title")
    })

    // Catches a sender that can't find out whether its ticket arrived, or that sees other users' tickets.
    it("finds the creator's own tickets by their external id", async () => {
      const zoe = await service.account("zoe")
      const { key: zoeKey } = await service.key(zoe, { tickets: ["create"] })
      const own = { context: { externalId: "outbox-7" } }
      const { body: sent } = await service.ticket(zoeKey, own)
      await service.ticket(key, own)
      await service.ticket(zoeKey, { context: { externalId: "x".repeat(201) } })
      const path = "/api/v1/tickets/mine?externalId=outbox-7"
      const { body } = await service.send("GET", path, { bearer: zoeKey })
      expect(body.tickets).toMatchObject([{ id: sent.ticket.id, externalId: "outbox-7" }])
      // PostgreSQL text can't contain NUL.
      const nul = await service.send("GET", "/api/v1/tickets/mine?externalId=%00", { bearer: zoeKey })
      expect(nul.status).toBe(400)
      const all = await service.send("GET", "/api/v1/tickets/mine", { bearer: zoeKey })
      expect(all.body.tickets[0]).toMatchObject({ externalId: null })
    })
  })
}

describe("A ticket that can't be saved", () => {
  // Catches a quota or key use that is still counted, and SQL in the response.
  it("returns 500 without details and counts nothing", async () => {
    await using service = await startTestService()
    const ann = await service.account("ann")
    const { key } = await service.key(ann)
    const { db } = service.database
    await db.schema.alterTable("ticketParts").renameTo("gone").execute()
    const { status, body } = await service.ticket(key, { screenshot: "data:image/png;base64,AA==" })
    expect([status, body.error.code]).toEqual([500, "INTERNAL_ERROR"])
    expect(JSON.stringify(body)).not.toMatch(/sql|ticketParts|table|at /i)
    expect(await db.selectFrom("dailyTickets").selectAll().execute()).toEqual([])
    expect(await db.selectFrom("tickets").select("id").execute()).toEqual([])
    expect(await db.selectFrom("cloudKeys").select("uses").execute()).toEqual([{ uses: 0 }])
    await db.schema.alterTable("gone").renameTo("ticketParts").execute()
    expect((await service.ticket(key)).status).toBe(201)
    expect(await db.selectFrom("cloudKeys").select("uses").execute()).toEqual([{ uses: 1 }])
  })
})

describe("A ticket's field", () => {
  const line = { ts: "t", level: "info", message: "m" }
  const repeat = (count: number) => "x".repeat(count)
  const rejected: [string, unknown][] = [
    ["sourceApp", undefined],
    ["sourceApp", ""],
    ["sourceApp", repeat(61)],
    ["sourceApp", "-app"],
    ["sourceApp", " app"],
    ["sourceApp", "éclair"],
    ["sourceApp", "app/1"],
    ["sourceApp", 5],
    ["title", undefined],
    ["title", "ab"],
    ["title", "  ab  "],
    ["title", repeat(201)],
    ["description", undefined],
    ["description", "   "],
    ["description", repeat(10_001)],
    ["type", "bug"],
    ["type", null],
    ["brand", repeat(101)],
    ["screenshot", "https://example.com/a.png"],
    ["screenshot", "data:text/html,<p>"],
    ["screenshot", "data:image/png"],
    ["screenshot", `data:image/png;base64,${"A".repeat(4_000_000)}`],
    ["attachment", "https://example.com/a.pdf"],
    ["attachment", "file:///etc/passwd"],
    ["attachment", `data:,${"A".repeat(8_000_000)}`],
    ["attachmentName", repeat(256)],
    ["attachmentMime", repeat(256)],
    ["uiLogs", Array.from({ length: 501 }, () => line)],
    ["serverLogs", Array.from({ length: 501 }, () => line)],
    ["uiLogs", "text"],
    ["uiLogs.0.ts", [{ ...line, ts: repeat(41) }]],
    ["uiLogs.0.level", [{ ...line, level: repeat(17) }]],
    ["uiLogs.0.message", [{ ...line, message: repeat(4001) }]],
    ["serverLogs.0.src", [{ ...line, src: repeat(121) }]],
    ["serverLogs.0.message", [{ ts: "t", level: "info" }]],
    ["serverLogs.0.extra", [{ ...line, extra: 1 }]],
    ["context", []],
    ["context", "text"],
    ["context", null],
    ["status", "CLOSED"],
    ["user", "someone"],
    ["userId", "someone"],
    ["company", "Acme"],
    ["priority", "HIGH"],
    ["notes", "internal"],
    ["__proto__x", {}],
  ]
  const accepted: [string, unknown][] = [
    ["sourceApp", "A"],
    ["sourceApp", `9${"x".repeat(59)}`],
    ["title", "abc"],
    ["title", `  ${repeat(200)}  `],
    ["description", repeat(10_000)],
    ["type", "SUGGESTION"],
    ["brand", repeat(100)],
    ["screenshot", `data:image/png;base64,${"A".repeat(4_000_000 - 22)}`],
    ["attachment", `data:,${"A".repeat(8_000_000 - 6)}`],
    ["attachmentName", repeat(255)],
    ["attachmentMime", repeat(255)],
    ["uiLogs", Array.from({ length: 500 }, () => ({ ...line, message: repeat(4000) }))],
    ["serverLogs", [{ ts: repeat(40), level: repeat(16), message: repeat(4000), src: repeat(120) }]],
    ["context", {}],
  ]

  let service: TestService
  let jwt: string
  beforeAll(async () => {
    service = await startTestService()
    const ann = await service.account("ann")
    await service.run(`quota set ${ann.email}`, { "per-minute": "1000" })
    jwt = ann.jwt
  })
  afterAll(() => service?.[Symbol.asyncDispose]())

  it.each(rejected)("is refused and named if it is invalid: %s", async (path, value) => {
    const field = path.split(".")[0] ?? ""
    const { status, body } = await service.ticket(jwt, { [field]: value })
    expect([status, body.error.code]).toEqual([400, "VALIDATION_ERROR"])
    expect(body.error.issues?.map((issue) => issue.path)).toContain(path)
    expect(body.error.issues?.every((issue) => issue.message.length > 0)).toBe(true)
  })

  // Catches a key that schemas ignore and that support never sees.
  it("is kept in context, whatever its key", async () => {
    const context = '{"__proto__":{"a":1},"constructor":2}'
    const body = `{"sourceApp":"a","title":"abc","description":"d","context":${context}}`
    const { body: answer } = await service.send("POST", "/api/v1/tickets", { bearer: jwt, body })
    const { jwt: staff } = await service.account("reader", { staff: true })
    const read = await service.send("GET", `/api/v1/tickets/${answer.ticket.id}`, { bearer: staff })
    expect(JSON.stringify(read.body.ticket.context)).toBe(context)
  })

  it.each(accepted)("is accepted at its limit: %s", async (field, value) => {
    expect((await service.ticket(jwt, { [field]: value })).status).toBe(201)
  })

  it.each([
    ["__proto__", `{"__proto__":{"staff":true},${JSON.stringify(validTicket).slice(1)}`],
    ["", "[]"],
    ["", "null"],
    ["", '"text"'],
  ])("is refused in a body that isn't a plain object (%s %s)", async (_path, body) => {
    const answer = await service.send("POST", "/api/v1/tickets", { bearer: jwt, body })
    expect([answer.status, answer.body.error.code]).toEqual([400, "VALIDATION_ERROR"])
  })

  // Catches a stack overflow, which would be a 500.
  it("is refused if context is nested 100,000 levels deep", async () => {
    const context = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
    const body = `{"sourceApp":"a","title":"abc","description":"d","context":${context}}`
    const answer = await service.send("POST", "/api/v1/tickets", { bearer: jwt, body })
    expect([answer.status, answer.body.error.code]).toEqual([400, "VALIDATION_ERROR"])
  })
})
