import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import { type BoxProcess, killsItself, startFaultyBox } from "../../testing/box-process.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let dataDir: string
let box: BoxProcess
let restarted: TestBox
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cut-change-"))
})
afterEach(async () => {
  if (box.child.signalCode === null) await box.stop("SIGKILL")
  await restarted[Symbol.asyncDispose]() // also removes its directory
})

const serverAt = (path: string) => ({ kind: "http" as const, url: `https://tools.example/${path}` })

// Catches an interrupted change that loses the token, or sends the new token to the old server.
it.each([2, 3, 4])(
  "a change that is interrupted at write %i of the secrets leaves a matching server and token",
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

    restarted = await startTestBox({ dataDir })
    const { target, hasToken } = (await restarted.getClient(key).integrations.read({ params })).integration
    expect([serverAt("old"), serverAt("new")]).toContainEqual(target)
    expect(hasToken).toBe(true)
    // A second change shows which token is valid, because it removes the other one.
    await restarted.getClient(key).integrations.update({ params, body: { env: {} } })
    const secrets = await readFile(join(dataDir, "secrets.json"), "utf8")
    const isNew = target?.kind === "http" && target.url.endsWith("new")
    expect(secrets.includes("new-token")).toBe(isNew)
    expect(secrets.includes("old-token")).toBe(!isNew)
  },
)

// Catches an interrupted removal that loses a server's token, or leaves the token of a removed server.
it.each([
  ["after", 2],
  ["before", 3],
  ["after", 3],
] as const)(
  "a removal interrupted %s write %i of the secrets leaves a complete server or nothing",
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

    restarted = await startTestBox({ dataDir })
    const { integrations } = await restarted.getClient(key).integrations.list()
    const hasToken = integrations.find(({ key }) => key === params.key)?.hasToken ?? false
    expect(hasToken).toBe(integrations.some(({ key }) => key === params.key))
    const secrets = () => readFile(join(dataDir, "secrets.json"), "utf8")
    await expect.poll(async () => (await secrets()).includes("its-token")).toBe(hasToken)
  },
)
