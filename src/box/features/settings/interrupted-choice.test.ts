import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import { killsItself, startFaultyBox } from "../../testing/box-process.ts"
import { startTestBox } from "../../testing/test-box.ts"

// Catches a search engine that gets another one's key, one that has lost its key, and a key of an engine that is no longer used.
it.each([
  ["another engine with a key", "after", 2],
  ["another engine with a key", "before", 3],
  ["another engine with a key", "after", 3],
  ["no engine", "before", 2],
  ["no engine", "after", 2],
] as const)(
  "choosing %s, interrupted %s write %i of the secrets, leaves an engine with its own key",
  async (choice, when, nth) => {
    const dataDir = await mkdtemp(join(tmpdir(), "casella-cut-choice-"))
    const box = await startFaultyBox(killsItself(when, "rename", "secrets.json", nth), dataDir)
    const key = box.firstRunKey ?? ""
    const { settings } = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    await settings.update({ body: { webSearch: { provider: "brave", apiKey: "key-of-brave" } } })
    const next =
      choice === "no engine"
        ? ({ provider: "off" } as const)
        : ({ provider: "searxng", url: "http://127.0.0.1:8888", apiKey: "key-of-searxng" } as const)
    await settings
      .update({ body: { webSearch: next } })
      .catch((error: unknown) => expect(error).toMatchObject({ code: "unavailable" }))
    if (box.child.signalCode === null) await box.stop("SIGKILL")

    await using again = await startTestBox({ dataDir })
    const { provider, hasApiKey } = (await again.getClient(key).settings.read()).settings.webSearch
    expect(["brave", next.provider]).toContain(provider)
    expect(hasApiKey).toBe(provider !== "off")
    const keys = async () =>
      (await readFile(join(dataDir, "secrets.json"), "utf8")).match(/key-of-\w+/g) ?? []
    await expect.poll(keys).toEqual(hasApiKey ? [`key-of-${provider}`] : [])
  },
)
