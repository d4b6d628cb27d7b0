import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { compose } from "../../compose.ts"
import { silentLogger } from "../../core/logger.ts"
import { password, startTestService, type Account, type TestService } from "../../testing/test-service.ts"

let service: TestService
let ann: Account
beforeAll(async () => {
  service = await startTestService()
  ann = await service.account("ann", { staff: true })
})
afterAll(() => service?.[Symbol.asyncDispose]())

const signIn = (email: string, secret: string, body: object = {}) =>
  service.send("POST", "/api/auth/sign-in/email", { body: { email, password: secret, ...body } })
/** Headers that the support page sends after signing in. */
const getPage = ({ headers, body }: { headers: Headers; body: { secret?: string } }) => ({
  cookie: headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; "),
  "x-session-secret": body.secret ?? "",
})

describe("Signing in", () => {
  it("returns a JWT and the user, and sets a cookie hidden from scripts and other sites", async () => {
    const { status, headers, body } = await signIn("Ann@Example.com", password)
    expect(status).toBe(200)
    expect(body.jwt.split(".")).toHaveLength(3)
    expect(body.user).toMatchObject({ email: "ann@example.com", name: "ann", staff: true })
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.getSetCookie()).not.toEqual([])
    for (const cookie of headers.getSetCookie()) {
      expect(cookie).toMatch(/HttpOnly/i)
      expect(cookie).toMatch(/SameSite=Strict/i)
      expect(cookie).not.toMatch(/Domain=/i)
    }
  })

  // Catches an answer that reveals which email addresses have accounts, or that an account is blocked.
  it("refuses an unknown user, a wrong password and a blocked user in the same way", async () => {
    const ben = await service.account("ben")
    await service.run(`users block ${ben.email}`)
    const answers = await Promise.all([
      signIn("nobody@example.com", password),
      signIn(ann.email, "wrong password"),
      signIn(ben.email, password),
      signIn("not an address", password),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
    await service.run(`users unblock ${ben.email}`)
    expect((await signIn(ben.email, password)).status).toBe(200)
  })

  it("names the missing field", async () => {
    const { status, body } = await service.send("POST", "/api/auth/sign-in/email", {
      body: { email: ann.email },
    })
    expect([status, body.error.issues?.[0]?.path]).toEqual([400, "password"])
  })

  // Catches password guessing at the speed at which the machine hashes.
  it("is throttled after ten wrong passwords, without locking out others", async () => {
    const cleo = await service.account("cleo")
    const guesses = await Promise.all(Array.from({ length: 15 }, () => signIn(cleo.email, "wrong")))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const { status, headers, body } = await signIn(cleo.email, password)
    expect([status, body.error.code]).toEqual([429, "RATE_LIMITED"])
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await signIn(ann.email, password)).status).toBe(200)
  })

  // Catches correct passwords that count towards the limit.
  it("isn't throttled while passwords are correct", async () => {
    for (let time = 0; time < 12; time++) expect((await signIn(ann.email, password)).status).toBe(200)
  })
})

describe("A session", () => {
  it("issues new JWTs until it ends", async () => {
    const page = getPage(await signIn(ann.email, password))
    const renewed = await service.send("POST", "/api/auth/token", { headers: page })
    expect((await service.ticket(renewed.body.jwt)).status).toBe(201)
    expect((await service.send("POST", "/api/auth/sign-out", { headers: page })).body).toEqual({
      success: true,
    })
    expect((await service.send("POST", "/api/auth/token", { headers: page })).status).toBe(401)
    expect((await service.send("POST", "/api/auth/token")).status).toBe(401)
  })

  // Catches a session that another port of the computer takes over, ends or replaces, because cookies are sent to all ports.
  it("can't be used with only the cookie, only the secret, or two cookies", async () => {
    const page = getPage(await signIn(ann.email, password))
    const eve = await service.account("eve")
    const hers = getPage(await signIn(eve.email, password))
    const { cookie, "x-session-secret": secret } = page
    const attacks: Record<string, string>[] = [
      { cookie },
      { "x-session-secret": secret },
      { cookie, "x-session-secret": "" },
      { cookie, "x-session-secret": secret.slice(1) },
      { cookie, "x-session-secret": hers["x-session-secret"] },
      { cookie: hers.cookie, "x-session-secret": secret },
      { cookie: `${hers.cookie}; ${cookie}`, "x-session-secret": secret },
      { cookie: `${cookie}; ${hers.cookie}`, "x-session-secret": secret },
      { cookie, "x-session-secret": `${secret}, ${secret}` },
      { cookie, authorization: `Bearer ${secret}` },
    ]
    for (const headers of attacks) {
      for (const path of ["token", "sign-out"])
        expect(
          (await service.send("POST", `/api/auth/${path}`, { headers })).status,
          JSON.stringify(headers),
        ).toBe(401)
    }
    expect((await service.send("POST", "/api/auth/token", { headers: page })).status).toBe(200)
  })

  it("ends when its user is blocked", async () => {
    const dora = await service.account("dora")
    const page = getPage(await signIn(dora.email, password))
    await service.run(`users block ${dora.email}`)
    expect((await service.send("POST", "/api/auth/token", { headers: page })).status).toBe(401)
  })
})

describe("Signing keys", () => {
  const getKid = (jwt: string) =>
    (JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()) as { kid: string }).kid

  // Catches a private key that is published, or stored unencrypted.
  it("are published without their private part, and stored encrypted", async () => {
    const { keys } = (await service.send("GET", "/api/auth/jwks")).body
    expect(keys.map(({ kid }) => kid)).toContain(getKid(ann.jwt))
    for (const key of keys)
      expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x"])
    const { rows } = await service.database.db
      .withTables<{ jwks: { privateKey: string; expiresAt: string } }>()
      .selectFrom("jwks")
      .select("privateKey")
      .execute()
      .then((rows) => ({ rows }))
    expect(rows).toHaveLength(keys.length)
    for (const { privateKey } of rows) expect(privateKey).not.toContain('"d"')
  })

  it("rotate: a new one signs, and the old one still verifies", async () => {
    await service.database.db
      .withTables<{ jwks: { expiresAt: string } }>()
      .updateTable("jwks")
      .set({ expiresAt: new Date(Date.now() - 1000).toISOString() })
      .execute()
    const { body } = await signIn(ann.email, password)
    expect(getKid(body.jwt)).not.toBe(getKid(ann.jwt))
    expect((await service.ticket(body.jwt)).status).toBe(201)
    expect((await service.ticket(ann.jwt)).status).toBe(201)
    expect((await service.send("GET", "/api/auth/jwks")).body.keys).toHaveLength(2)
  })
})

describe("Old signing keys", () => {
  // Catches a key from an old backup that can sign valid JWTs for anyone, years later.
  it("verify nothing after everything they signed has expired", async () => {
    const jwt = await service.signJwt({ sub: "anyone" })
    const own = ann.jwt
    expect((await service.ticket(own)).status).toBe(201)
    const jwks = () => service.database.db.selectFrom("jwks").selectAll().execute()
    const dayAgo = Date.now() - 24 * 3_600_000
    const age = (expiresAt: number) =>
      service.database.db
        .updateTable("jwks")
        .set({ expiresAt: new Date(expiresAt).toISOString() })
        .execute()
    const { sweep } = await compose({
      database: service.database,
      secret: "unused",
      publicUrl: null,
      logger: silentLogger,
    })
    await age(dayAgo + 60_000)
    await sweep()
    expect((await service.ticket(own)).status).toBe(201)
    await age(dayAgo - 1_000)
    await sweep()
    expect(await jwks()).toEqual([])
    for (const bearer of [own, jwt]) expect((await service.ticket(bearer)).status).toBe(401)
    ann = { ...ann, jwt: (await signIn(ann.email, password)).body.jwt }
    expect((await service.ticket(ann.jwt)).status).toBe(201)
  })
})

describe("Creating a cloud key", () => {
  const create = (body: unknown, bearer: string = ann.jwt) =>
    service.send("POST", "/api/auth/api-key", { bearer, body })

  it("returns the key once, with id, name and expiry, and stores only its hash", async () => {
    const { status, body } = await create({ name: "Build server", expiresIn: 3600 })
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual(["expiresAt", "id", "key", "name"])
    expect(body.name).toBe("Build server")
    expect(Math.abs(Date.parse(body.expiresAt) - Date.now() - 3_600_000)).toBeLessThan(60_000)
    expect((await service.ticket(body.key)).status).toBe(201)
    const rows = await service.database.db.selectFrom("cloudKeys").selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(body.key)
    expect(rows.find(({ id }) => id === body.id)?.permissions).toBeNull()
  })

  it.each([
    {},
    { name: "x" },
    { expiresIn: 3600 },
    { name: "", expiresIn: 3600 },
    { name: "x", expiresIn: 59 },
    { name: "x", expiresIn: 365 * 86_400 + 1 },
    { name: "x", expiresIn: 60.5 },
    { name: "x", expiresIn: "3600" },
    { name: "x", expiresIn: 3600, permissions: ["tickets"] },
    { name: "x", expiresIn: 3600, permissions: { tickets: "create" } },
    { name: "x", expiresIn: 3600, permission: { tickets: ["create"] } },
    { name: "x", expiresIn: 3600, userId: "someone" },
  ])("refuses %j", async (body) => {
    const answer = await create(body)
    expect([answer.status, answer.body.error.code]).toEqual([400, "VALIDATION_ERROR"])
  })

  it("accepts values at the limits", async () => {
    expect((await create({ name: "x", expiresIn: 60, permissions: null })).status).toBe(200)
    expect((await create({ name: "x", expiresIn: 365 * 86_400 })).status).toBe(200)
  })

  // Catches a script in a loop that fills the table.
  it("stops at a hundred active keys", async () => {
    const dora = await service.account("dorothy")
    const made = await Promise.all(
      Array.from({ length: 100 }, () => create({ name: "x", expiresIn: 3600 }, dora.jwt)),
    )
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await create({ name: "x", expiresIn: 3600 }, dora.jwt)).body.error.code).toBe("CONFLICT")
    await service.run(`keys revoke ${made[0]?.body.id}`)
    expect((await create({ name: "x", expiresIn: 3600 }, dora.jwt)).status).toBe(200)
  })

  // Catches a leaked key that creates its own successors.
  it("requires a JWT and never accepts a key", async () => {
    const { key } = (await create({ name: "x", expiresIn: 60 })).body
    expect((await create({ name: "y", expiresIn: 60 }, key)).status).toBe(401)
    expect(
      (await service.send("POST", "/api/auth/api-key", { body: { name: "y", expiresIn: 60 } })).status,
    ).toBe(401)
  })
})

describe("Adding users", () => {
  it("refuses short passwords, invalid email addresses and those in use, with the reason", async () => {
    const add = (email: string, secret: string) =>
      service.run(`users add ${email}`, { password: secret, name: "N" })
    await expect(add("new@example.com", "short")).rejects.toThrow(/short/i)
    await expect(add("no-address", password)).rejects.toThrow(/email/i)
    await expect(add("ANN@example.com", password)).rejects.toThrow(/exists/i)
    await expect(service.run("users block nobody@example.com")).rejects.toThrow(/no user/)
  })

  it("stores scrypt hashes", async () => {
    const rows = await service.database.db
      .withTables<{ account: { password: string } }>()
      .selectFrom("account")
      .select("password")
      .execute()
    expect(rows).not.toEqual([])
    for (const row of rows) expect(row.password).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
  })
})
