import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { startTestService } from "../../../auth-service/testing/test-service.ts"
import { createClient } from "../../../shared/client/http-client.ts"
import { checkIntegrity } from "../../core/database/sqlite/open-sqlite.ts"
import { databasePath } from "../../start/open-data.ts"
import { startBoxProcess } from "../../testing/box-process.ts"
import { connectApp } from "../../testing/clients.ts"

const rounds = 4
const perRound = 5

// Catches an acknowledged report that never arrives, or arrives twice, because the server was killed while it wrote, sent or waited for an
// answer.
it("Acknowledged reports arrive exactly once after kill -9 during sending", async () => {
  await using service = await startTestService()
  const { email, password } = await service.account("ann")
  const { jwt: staff } = await service.account("staff", { staff: true })
  const dataDir = await mkdtemp(join(tmpdir(), "casella-support-crash-"))
  const written: string[] = []
  let key = ""
  for (let round = 0; round < rounds; round++) {
    const box = await startBoxProcess(dataDir, "--auth-url", service.url)
    key ||= box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    if (round === 0) await client.support.signIn({ body: { email, password } })
    using app = await connectApp(box.url, key)
    let newsLeft = 2 + round * 3
    app.socket.on("message", () => {
      if (--newsLeft === 0) box.child.kill("SIGKILL")
    })
    for (let index = 0; index < perRound; index++) {
      const body = { title: `Report ${round}.${index}`, description: "x".repeat(9_000) }
      const answer = await client.support.create({ body }).catch(() => null)
      if (answer) written.push(answer.ticket.id)
    }
    if (box.child.signalCode === null) await box.stop("SIGKILL")
    checkIntegrity(databasePath(dataDir))
  }

  const box = await startBoxProcess(dataDir, "--auth-url", service.url)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  using app = await connectApp(box.url, key)
  for (;;) {
    const { tickets } = await client.support.list({ query: { limit: 200 } })
    if (tickets.every(({ state }) => state === "sent")) break
    await app.next("support")
  }
  const { body } = await service.send("GET", "/api/v1/tickets?limit=200", { bearer: staff })
  const titles = body.tickets.map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
  const { tickets } = await client.support.list({ query: { limit: 200 } })
  const sent = new Set(tickets.map(({ id }) => id))
  expect(written.filter((id) => !sent.has(id))).toEqual([])
  expect(tickets).toHaveLength(titles.length)
  await box.stop()
  await rm(dataDir, { recursive: true, force: true })
})
