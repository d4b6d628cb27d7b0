import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import { startBoxProcess } from "../../testing/box-process.ts"
import { startModelServer } from "../../testing/model-servers/model-server.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

// Catches a run that is lost, duplicated or reported twice because its box was killed during the answer.
test("a run that is killed while answering is repeated once, as the same run, and reported once", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-automations-"))
  let round = 0
  await using model = await startModelServer(() => {
    round++
    return round === 1 ? { text: ["Half", " of it"], unended: true } : { text: "Whole." }
  })
  const start = () => startBoxProcess(directory, "--model", model.baseUrl)
  const first = await start()
  const headers = { "x-api-key": first.firstRunKey ?? "" }
  const before = createClient({ baseUrl: first.url, headers })
  const { automation } = await before.automations.create({
    body: { name: "Clerk", prompt: "Look.", trigger: { kind: "manual" } },
  })
  const params = { id: automation.id }
  const { run } = await before.automations.run({ params })
  const { run: next } = await before.automations.run({ params })
  await waitFor(() => expect(model.answering()).toBe(1))
  await first.stop("SIGKILL")

  const second = await start()
  const client = createClient({ baseUrl: second.url, headers })
  await waitFor(async () => {
    const { runs } = await client.automations.runs({ params })
    expect(runs.map(({ id, status, attempt }) => [id, status, attempt])).toEqual([
      [next.id, "completed", 1],
      [run.id, "completed", 2],
    ])
  })
  await waitFor(async () => {
    const { notifications } = await client.notifications.list({ query: { category: "scheduler" } })
    expect(notifications.map(({ description }) => description)).toEqual(["Whole.", "Whole."])
  })
  await second.stop()
  await rm(directory, { recursive: true, force: true })
})
