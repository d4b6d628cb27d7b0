import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import type { BoxProcess } from "../../testing/box-process.ts"
import { killsItself, startFaultyBox } from "../../testing/faulty-box.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let dataDir: string
let box: BoxProcess
let again: TestBox
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cut-change-"))
})
afterEach(async () => {
  if (box.child.signalCode === null) await box.stop("SIGKILL")
  await again[Symbol.asyncDispose]() // with its directory
})

const serverAt = (path: string) => ({ kind: "http" as const, url: `https://tools.example/${path}` })

// Would catch: a change that is cut off and costs the token, or gives the new one to the old server.
it.each([2, 3, 4])(
  "a change that is cut at write %i of the secrets leaves server and token of one time",
  async (nth) => {
    box = await startFaultyBox(killsItself("after", "rename", "secrets.json", nth), dataDir)
    const key = box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const { integration } = await client.integrations.add({
      body: { name: "Tools", target: serverAt("old"), token: "old-token" },
    })
    const params = { key: integration.key }
    await client.integrations
      .update({ params, body: { target: serverAt("new"), token: "new-token" } })
      .catch((error: unknown) => expect(error).toMatchObject({ code: "unavailable" }))

    again = await startTestBox({ dataDir })
    const { target, hasToken } = (await again.clientOf(key).integrations.read({ params })).integration
    expect([serverAt("old"), serverAt("new")]).toContainEqual(target)
    expect(hasToken).toBe(true)
    // A second change says which token counts now: it leaves out the other.
    await again.clientOf(key).integrations.update({ params, body: { env: {} } })
    const secrets = await readFile(join(dataDir, "secrets.json"), "utf8")
    const isNew = target?.kind === "http" && target.url.endsWith("new")
    expect(secrets.includes("new-token")).toBe(isNew)
    expect(secrets.includes("old-token")).toBe(!isNew)
  },
)

// Would catch: a removal that is cut off and costs a server its token, or leaves the token of one that is gone.
it.each([
  ["after", 2],
  ["before", 3],
  ["after", 3],
] as const)(
  "a removal that is cut %s write %i of the secrets leaves all of a server or nothing",
  async (when, nth) => {
    box = await startFaultyBox(killsItself(when, "rename", "secrets.json", nth), dataDir)
    const key = box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const body = { name: "Tools", target: serverAt("old"), token: "its-token" }
    const { integration } = await client.integrations.add({ body })
    const params = { key: integration.key }
    await client.integrations
      .remove({ params })
      .catch((error: unknown) => expect(error).toMatchObject({ code: "unavailable" }))

    again = await startTestBox({ dataDir })
    const { integrations } = await again.clientOf(key).integrations.list()
    const hasToken = integrations.find(({ key }) => key === params.key)?.hasToken ?? false
    expect(hasToken).toBe(integrations.some(({ key }) => key === params.key))
    const secrets = () => readFile(join(dataDir, "secrets.json"), "utf8")
    await expect.poll(async () => (await secrets()).includes("its-token")).toBe(hasToken)
  },
)
