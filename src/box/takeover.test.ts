import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { connect, createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { Client } from "pg"
import { afterEach, beforeEach, expect, test } from "vitest"
import { WebSocket } from "ws"
import { createClient } from "../shared/client/http-client.ts"
import { socketPath } from "../shared/contract/socket.ts"
import { faultExitCode } from "./core/process/uncaught.ts"
import { startTeamBoxes, waitUntilStandby, type TeamBoxes } from "./testing/box-process.ts"
import { mountSmallDisk } from "./testing/disk.ts"
import { startRelay } from "../shared/testing/test-postgres.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const postgres = { tags: "postgresql" }
const sentByProxy = 6 << 20

let team: TeamBoxes
beforeEach(async () => {
  team = await startTeamBoxes()
})
afterEach(() => team[Symbol.asyncDispose]())

const begin = (name: string, changes?: NodeJS.ProcessEnv) => team.begin(name, changes)
const asked = (statement: string) => team.asked(statement)
const getClient = ({ url: baseUrl }: { url: string }, key: string) =>
  createClient({ baseUrl, headers: { "x-api-key": key } })

/** Returns the error output of a box that refuses to start. */
async function refusal(name: string, changes: NodeJS.ProcessEnv): Promise<string> {
  const box = begin(name, changes)
  const ready = box.ready.then(
    () => "it started",
    () => "",
  )
  const [code] = (await once(box.child, "close")) as [number | null]
  expect(await ready).toBe("")
  expect(code).toBe(2)
  return box.stderr()
}

/** Lists the database connections that standby servers use to look up the active server. */
const listActivity = () =>
  asked(`SELECT pid, query_start::text AS at FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'SELECT value FROM settings%'`)

// Catches requests that a standby server loses, changes or repeats, or that fail because of the moment of failover. Also catches a new
// database connection for each lookup of the active server.
test(
  "a standby server answers everything like the active server, and takes over by itself",
  postgres,
  async () => {
    const first = await begin("first").ready
    const key = first.firstRunKey ?? ""
    const second = begin("second")
    const waiting = await waitUntilStandby(second)
    const client = getClient(waiting, key)
    expect(await (await fetch(`${waiting.url}/api/health`)).json()).toMatchObject({ status: "ok" })
    expect((await fetch(`${waiting.url}/api/ready`)).status).toBe(200)
    expect((await fetch(`${waiting.url}/api/metrics`, { headers: { "x-api-key": key } })).status).toBe(200)
    const [page, same] = await Promise.all(
      [first.url, waiting.url].map(async (at) => (await fetch(`${at}/`)).text()),
    )
    expect(same).toBe(page)
    await expect(getClient(waiting, "box_wrong").account.me()).rejects.toMatchObject({ code: "unauthorized" })

    const { id } = (await client.folders.create({ body: { name: "Notes" } })).vector
    const large = randomBytes(sentByProxy).toString("base64")
    const { files } = await client.files.upload({
      params: { id },
      file: new Blob([large]),
      fileName: "large.txt",
    })
    const fileId = files[0]?.id ?? ""
    const content = await client.files.content({ params: { id, fileId } })
    expect((await content.text()) === large).toBe(true)
    const part = await fetch(`${waiting.url}/api/public/vectors/${id}/files/${fileId}/content`, {
      headers: { "x-api-key": key, range: "bytes=5-9" },
    })
    expect([part.status, await part.text()]).toEqual([206, large.slice(5, 10)])

    const socket = new WebSocket(`${waiting.url.replace("http", "ws")}${socketPath}`, {
      headers: { "x-api-key": key },
    })
    const heard: string[] = []
    socket.on("message", (text: Buffer) => heard.push(text.toString()))
    await once(socket, "open")
    await client.notifications.send({ body: { title: "Heard" } })
    await waitFor(() => expect(heard.join()).toContain("Heard"))
    const activity = await waitFor(async () => {
      const [found] = await listActivity()
      if (found === undefined) throw new Error("No standby server has looked up the active server.")
      return found
    })
    await waitFor(async () =>
      expect(await listActivity()).toEqual([
        { pid: activity["pid"], at: expect.not.stringContaining(String(activity["at"])) as string },
      ]),
    )

    const closed = once(socket, "close")
    await first.stop("SIGKILL")
    // Sent before a server is active; the request waits for it.
    const names = (await client.folders.list({ query: {} })).vectors.map(({ name }) => name)
    expect(names).toEqual(["Notes"])
    await closed
    expect((await second.ready).url).toBe(waiting.url)
  },
)

// Catches a server that forwards requests to itself forever, and a client that pretends to be another server.
test("doesn't forward a request twice", postgres, async () => {
  const first = await begin("first").ready
  const waiting = await waitUntilStandby(begin("second"))
  await asked(`UPDATE settings SET value = '${waiting.url}' WHERE key = 'runningAt'`)
  const answer = await fetch(`${waiting.url}/api/ready`)
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("box_waits")])
  const forged = await fetch(`${waiting.url}/api/ready`, { headers: { "x-casella-forwarded": "forged" } })
  expect(forged.status).toBe(503)
  expect(
    (await fetch(`${first.url}/api/ready`, { headers: { "x-casella-forwarded": "forged" } })).status,
  ).toBe(200)
})

// Catches acknowledged data that the next server lacks: rows, files, and keys and tokens of other services.
test(
  "a standby server takes over from a killed one, with everything that was acknowledged",
  postgres,
  async () => {
    const first = await begin("first").ready
    const key = first.firstRunKey ?? ""
    const second = begin("second")
    await waitUntilStandby(second)
    const before = getClient(first, key)
    const { id } = (await before.folders.create({ body: { name: "Notes" } })).vector
    const { files } = await before.files.upload({
      params: { id },
      file: new Blob(["Penguins swim well."]),
      fileName: "birds.txt",
    })
    await before.settings.update({ body: { webSearch: { provider: "brave", apiKey: "key-of-tavily" } } })
    expect(JSON.stringify(await asked("SELECT * FROM settings"))).not.toContain("key-of-tavily")
    await first.stop("SIGKILL")

    const taken = await second.ready
    const after = getClient(taken, key)
    const content = await after.files.content({ params: { id, fileId: files[0]?.id ?? "" } })
    expect(await content.text()).toBe("Penguins swim well.")
    expect((await after.settings.read()).settings.webSearch).toMatchObject({ hasApiKey: true })
    await waitFor(async () => {
      const found = await after.folders.search({ body: { query: "penguins swim", vector: [id] } })
      expect(found.results[0]?.fileName).toBe("birds.txt")
    })

    const restarted = begin("first")
    await waitUntilStandby(restarted)
    expect(await taken.stop()).toBe(0)
    const back = getClient(await restarted.ready, key)
    expect((await back.folders.list({ query: {} })).vectors.map(({ name }) => name)).toEqual(["Notes"])
  },
)

// Catches a frozen server that can't be replaced because the database server keeps its connection, and requests to the other servers that
// wait for it forever. Also catches two servers that both write after it resumes.
test("a frozen server is replaced, writes nothing more, and exits", postgres, async () => {
  const first = await begin("first").ready
  const key = first.firstRunKey ?? ""
  const second = begin("second")
  const waiting = await waitUntilStandby(second)
  const exited = once(first.child, "exit")
  first.child.kill("SIGSTOP")
  const late = getClient(first, key)
    .folders.create({ body: { name: "Too late" } })
    .then(
      () => "created",
      () => "refused",
    )
  expect((await fetch(`${waiting.url}/api/health`)).status).toBe(200)
  // This request only reads, so the server that takes over answers it.
  const read = getClient(waiting, key).folders.list({ query: {} })
  const taken = await second.ready
  expect((await read).vectors).toEqual([])
  await getClient(taken, key).folders.create({ body: { name: "In time" } })
  first.child.kill("SIGCONT")
  expect(await late).toBe("refused")
  const [code] = (await exited) as [number | null]
  expect(code).toBe(faultExitCode)
  const { vectors } = await getClient(taken, key).folders.list({ query: {} })
  expect(vectors.map(({ name }) => name)).toEqual(["In time"])
})

// Catches a server that exits, or reports a wrong reason, because another server took over during its start.
test("a server that is replaced during its start waits as a standby server again", postgres, async () => {
  const first = await begin("first").ready
  await using relay = await startRelay(team.databaseUrl)
  const second = begin("second", { CASELLA_DATABASE_URL: relay.url })
  await waitUntilStandby(second)
  const third = begin("third")
  await waitUntilStandby(third)
  const blocking = new Client({ connectionString: team.databaseUrl })
  await blocking.connect()
  await blocking.query("BEGIN; SELECT pg_advisory_xact_lock(8485)")
  third.child.kill("SIGSTOP")
  await first.stop("SIGKILL")
  await waitFor(() => expect(second.stderr()).toContain("The start waits for another program"))
  relay.isClosed = true
  relay.silence()
  third.child.kill("SIGCONT")
  await waitFor(() => expect(third.stderr()).toContain("hasn't used the database for seconds"))
  await blocking.end()
  const replacing = await third.ready
  const logged = second.stderr().length
  relay.isClosed = false
  relay.cut()
  await waitFor(() => expect(second.stderr().slice(logged)).toContain("This server is on standby"))
  expect(second.stderr().slice(logged)).not.toContain("Another server has taken over")
  await replacing.stop("SIGKILL")
  await second.ready
})

// Catches a takeover that exits at the first statement that fails, because the database drops its connections or doesn't accept changes for a
// moment.
test("a server takes over although the database fails for a moment", postgres, async () => {
  const first = await begin("first").ready
  await using relay = await startRelay(team.databaseUrl)
  const second = begin("second", { CASELLA_DATABASE_URL: relay.url })
  await waitUntilStandby(second)
  const blocking = new Client({ connectionString: team.databaseUrl })
  await blocking.connect()
  const setReadOnly = (isOn: boolean) =>
    blocking.query(
      `ALTER DATABASE "${new URL(team.databaseUrl).pathname.slice(1)}" SET default_transaction_read_only = ${isOn}`,
    )
  const repeated = (times: number) =>
    waitFor(() => expect(second.stderr().split("The server tries again").length).toBeGreaterThan(times))
  try {
    await blocking.query("BEGIN; SELECT pg_advisory_xact_lock(8485)")
    await first.stop("SIGKILL")
    await waitFor(() => expect(second.stderr()).toContain("The start waits for another program"))
    relay.isClosed = true
    relay.cut()
    await blocking.query("ROLLBACK")
    await repeated(2)
    await setReadOnly(true)
    relay.isClosed = false
    await waitFor(() => expect(second.stderr()).toContain("it accepts no changes"))
  } finally {
    await blocking.query("SET default_transaction_read_only = off")
    await setReadOnly(false)
    await blocking.end()
  }
  const taken = await second.ready
  await getClient(taken, first.firstRunKey ?? "").folders.create({ body: { name: "Goes on" } })
})

// Catches a standby server that refuses requests for as long as it can't reach the database, although another server answers them.
test(
  "a server that is cut off from the database forwards to the active server, also after a takeover",
  postgres,
  async () => {
    const first = await begin("first").ready
    const third = begin("third")
    await waitUntilStandby(third)
    await using relay = await startRelay(team.databaseUrl)
    const waiting = await waitUntilStandby(begin("second", { CASELLA_DATABASE_URL: relay.url }))
    const create = (name: string) =>
      getClient(waiting, first.firstRunKey ?? "").folders.create({ body: { name } })
    await create("Before")
    // It knows the other servers when it looks them up for the second time.
    const listLooks = () =>
      asked(`SELECT query_start::text AS at FROM pg_stat_activity
        WHERE application_name LIKE '%${waiting.url}' AND query LIKE '%pg_stat_activity%'`)
    const look = await waitFor(async () => {
      const [found] = await listLooks()
      if (found === undefined) throw new Error("The standby server hasn't looked up the others.")
      return found
    })
    await waitFor(async () => expect([look, undefined]).not.toContainEqual((await listLooks())[0]))
    relay.isClosed = true
    relay.silence()
    await waitFor(() => create("Cut off"))
    await first.stop("SIGKILL")
    const taken = await third.ready
    await waitFor(() => create("Taken over"))
    const { vectors } = await getClient(taken, first.firstRunKey ?? "").folders.list({ query: {} })
    expect(vectors.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Before", "Cut off", "Taken over"]),
    )
  },
)

// Catches a takeover that waits so long for the object store that requests are refused meanwhile.
test("a server takes over soon although the object store doesn't answer", postgres, async () => {
  const first = await begin("first").ready
  const waiting = await waitUntilStandby(begin("second", { CASELLA_VECTORS: team.store.at("index").address }))
  team.store.fault = () => ({ hangs: true })
  await first.stop("SIGKILL")
  const { vectors } = await getClient(waiting, first.firstRunKey ?? "").folders.list({ query: {} })
  expect(vectors).toEqual([])
})

// Catches a standby server that can't take over because its disk has filled while it waited.
test("a server takes over although its disk is full", { tags: ["mount", "postgresql"] }, async () => {
  await using disk = await mountSmallDisk("100m")
  const first = await begin("first").ready
  const dataDir = join(disk.path, "data")
  const second = team.begin("second", { CASELLA_DATA: dataDir }, ["--data", dataDir])
  await waitUntilStandby(second)
  await waitFor(() => expect(readdirSync(join(dataDir, "reserve"))).toHaveLength(16))
  disk.fill()
  await first.stop("SIGKILL")
  const taken = await second.ready
  const { folders } = getClient(taken, first.firstRunKey ?? "")
  await folders.create({ body: { name: "Goes on" } })
  await taken.stop("SIGKILL")
})

// Catches a standby server that exits at its first takeover because its disk has been full, or almost full, from the beginning.
test(
  "a server without a reserve takes over as soon as its disk has room",
  { tags: ["mount", "postgresql"] },
  async () => {
    await using disk = await mountSmallDisk("40m")
    const first = await begin("first").ready
    const dataDir = join(disk.path, "data")
    const second = team.begin("second", { CASELLA_DATA: dataDir }, ["--data", dataDir])
    await waitUntilStandby(second)
    expect(readdirSync(dataDir)).not.toContain("reserve")
    disk.fill()
    await first.stop("SIGKILL")
    await waitFor(() => expect(second.stderr()).toContain("The disk of the data directory is full"))
    expect(second.child.exitCode).toBeNull()
    disk.makeRoom()
    const taken = await second.ready
    const { folders } = getClient(taken, first.firstRunKey ?? "")
    await folders.create({ body: { name: "Goes on" } })
    await taken.stop("SIGKILL")
  },
)

// Catches a server that exits as if another were active, because it finds itself at an address that belongs to a server on another
// computer.
test(
  "a server that loses its database connection doesn't mistake itself for another one",
  postgres,
  async () => {
    await using relay = await startRelay(team.databaseUrl)
    const first = await begin("first", { CASELLA_DATABASE_URL: relay.url }).ready
    let listActivity = 0
    const sameAddress = createServer((near) => {
      listActivity++
      const far = connect(Number(new URL(first.url).port), "127.0.0.1")
      for (const end of [near, far]) end.on("error", () => undefined)
      near.pipe(far).pipe(near)
    }).listen(0, "127.0.0.1")
    try {
      await once(sameAddress, "listening")
      const address = `http://127.0.0.1:${(sameAddress.address() as AddressInfo).port}`
      const second = begin("second", { CASELLA_PEER_URL: address })
      await waitUntilStandby(second)
      const connections = async (name: string) =>
        (await asked(`SELECT query_start AS "usedAt" FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = '${name}'`)) as { usedAt: Date }[]
      const named = await waitFor(async () => {
        const [found] = await connections(`casella-lock ${address}`)
        expect(found).toBeDefined()
        return Number(found?.usedAt)
      })
      await waitFor(async () =>
        expect(Number((await connections("casella-lock"))[0]?.usedAt)).toBeGreaterThan(named),
      )
      second.child.kill("SIGSTOP") // otherwise it would take over
      relay.isClosed = true
      relay.cut()
      await waitFor(() => expect(listActivity).toBeGreaterThan(1))
      relay.isClosed = false
      await waitFor(async () => expect((await fetch(`${first.url}/api/ready`)).status).toBe(200))
      expect(first.child.exitCode).toBeNull()
    } finally {
      sameAddress.close()
    }
  },
)

// Catches a standby server that fails only when it has to take over.
test("a server that couldn't take over reports that immediately", postgres, async () => {
  const alone = await begin("alone", { CASELLA_SECRETS_KEY: "" }).ready
  expect(await refusal("second", {})).toContain("no standby server can replace it")
  expect(await refusal("third", { CASELLA_SECRETS_KEY: "" })).toContain(
    "Another server is active on the PostgreSQL",
  )
  await alone.stop()

  const first = await begin("alone").ready
  expect(await refusal("second", { AWS_ACCESS_KEY_ID: "wrong" })).toContain("refuses access to s3:")
  await first.stop()
  expect(await refusal("alone", { CASELLA_SECRETS_KEY: "" })).toContain("Set CASELLA_SECRETS_KEY")
  const others = await team.server.createDatabase()
  const elsewhere = await begin("elsewhere", {
    CASELLA_DATABASE_URL: others,
    CASELLA_FILES: team.store.at("b").address,
  }).ready
  await elsewhere.stop()
  await begin("alone").ready
  expect(await refusal("elsewhere", {})).toContain("belong to data on the PostgreSQL server")
})

// Catches an update with downtime: an older server that exits while it waits, or one that takes over, or takes the lock of, a database
// changed by a newer server.
test("an older server forwards to the newer one, and lets another take over", postgres, async () => {
  const newer = await team.begin("newer").ready
  const client = (at: { url: string }) => getClient(at, newer.firstRunKey ?? "")
  const older = team.begin("older")
  const waiting = await waitUntilStandby(older)
  // Simulates an update, which makes the local server the older one.
  await team.asked(`UPDATE "schemaVersion" SET version = version + 1`)
  await waitFor(() => expect(older.stderr()).toContain("can't become active: update it"))
  expect(older.stderr().split("can't become active")).toHaveLength(2)
  await client(waiting).folders.create({ body: { name: "Through the older one" } })

  await newer.stop()
  const ready = await fetch(`${waiting.url}/api/ready`)
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining("newer_box_needed")])
  expect((await fetch(`${waiting.url}/api/health`)).status).toBe(200)
  const locks =
    "SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE locktype = 'advisory' AND objid = 8486 AND granted AND datname = current_database()"
  await waitFor(async () => expect(await team.asked(locks)).toEqual([]))

  // Starts the newer server with the old schema version, so that it doesn't consider itself outdated. The older server is frozen so that it
  // doesn't see this.
  older.child.kill("SIGSTOP")
  await team.asked(`UPDATE "schemaVersion" SET version = version - 1`)
  const restarted = await team.begin("newer").ready
  await team.asked(`UPDATE "schemaVersion" SET version = version + 1`)
  older.child.kill("SIGCONT")
  const names = (await client(waiting).folders.list({ query: {} })).vectors.map(({ name }) => name)
  expect(names).toEqual(["Through the older one"])
  expect(restarted.url).not.toBe(waiting.url)
  older.child.kill("SIGTERM")
  expect(await once(older.child, "exit")).toEqual([0, null])
})
