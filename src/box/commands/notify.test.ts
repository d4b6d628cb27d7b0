import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, type Client } from "../../shared/client/http-client.ts"
import { runCommand, startBoxProcess, type BoxProcess } from "../testing/box-process.ts"
import { connectApp } from "../testing/clients.ts"

let dataDir: string
let box: BoxProcess
let client: Client
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-notify-"))
  box = await startBoxProcess(dataDir)
  client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
})
afterAll(async () => {
  await box.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const notify = (...args: string[]) => runCommand("notify", ...args, "--data", dataDir)

describe("notify", () => {
  it("notifies the owner's open app with everything that the flags set, and needs no key", async () => {
    using app = await connectApp(box.url, box.firstRunKey ?? "")
    const flags = {
      description: "12 files",
      type: "success",
      category: "backgroundTasks",
      link: "/work",
      chat: "c1",
      "dedupe-key": "import",
    }
    const outcome = await notify(
      "Import finished",
      ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
    )
    expect(outcome).toMatchObject({ code: 0, stderr: "" })
    const { notification } = await app.next("notification")
    expect(outcome.stdout).toBe(`${notification.id}\tdelivered\n`)
    expect(await client.notifications.read({ params: { id: notification.id } })).toMatchObject({
      title: "Import finished",
      description: "12 files",
      type: "success",
      category: "backgroundTasks",
      deepLink: "/work",
      chatId: "c1",
      dedupeKey: "import",
    })
  })

  // Catches keys that accumulate, one for each call.
  it("leaves no key behind", async () => {
    await notify("x")
    expect((await client.keys.list()).keys.map(({ name }) => name)).toEqual(["First run"])
  })

  it("uses a key that can do nothing else", async () => {
    const named = ["--name", "Scripts", "--data", dataDir]
    expect((await runCommand("keys", "create", ...named, "--scope", "everything")).code).toBe(2)
    const key = (await runCommand("keys", "create", ...named, "--scope", "notify")).stdout.trim()
    expect((await notify("x", "--key", key)).stdout).toContain("stored")
    const limited = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    await expect(limited.notifications.list()).rejects.toMatchObject({ code: "forbidden" })
    const made = (await client.keys.list()).keys.find(({ name }) => name === "Scripts")
    await client.keys.revoke({ params: { id: made?.id ?? "" } })
  })

  it("reports what is wrong and sends nothing", async () => {
    const before = (await client.notifications.list()).pagination.total
    const attempts: [string[], string][] = [
      [["x", "--link", "https://evil.example"], "deepLink"],
      [["x", "--category", "news"], "category"],
      [[""], "title"],
      [["x", "--key", "box_wrong"], "API key"],
      [["x", "--user", "nobody@example.com"], "no user"],
      [[], "Usage"],
    ]
    await Promise.all(
      attempts.map(async ([args, reason]) => {
        const outcome = await notify(...args)
        expect(outcome).toMatchObject({ code: 2, stdout: "" })
        expect(outcome.stderr).toContain(reason)
      }),
    )
    expect((await client.notifications.list()).pagination.total).toBe(before)
    expect((await client.keys.list()).keys).toHaveLength(1)
  })

  it("reports that no box is running", async () => {
    const empty = await mkdtemp(join(tmpdir(), "casella-notify-"))
    const outcome = await runCommand("notify", "x", "--data", empty)
    expect(outcome).toMatchObject({ code: 2, stdout: "" })
    expect(outcome.stderr).toContain("isn't running")
    await rm(empty, { recursive: true, force: true })
  })
})
