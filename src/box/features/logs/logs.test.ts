import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { addUser, startTestBox } from "../../testing/test-box.ts"
import { readLog } from "./read-log.ts"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-logs-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const line = (message: string, fields: object = {}) =>
  `${JSON.stringify({ level: "info", time: "2026-01-01T00:00:00.000Z", ...fields, msg: message })}\n`
const write = (number: number, text: string) => writeFile(join(directory, `box.${number}.log`), text)
const messages = async (limit: number) =>
  (await readLog(directory, "info", limit)).map(({ message }) => message)

describe("The last lines", () => {
  // Catches files sorted by name, where 10 comes before 9.
  it("continue across files, newest last", async () => {
    await write(9, line("a") + line("b"))
    await write(10, line("c") + line("d"))
    expect(await messages(3)).toEqual(["b", "c", "d"])
    expect(await messages(1)).toEqual(["d"])
    expect(await messages(100)).toEqual(["a", "b", "c", "d"])
  })

  it("include the requested level and those above", async () => {
    await write(1, line("a") + line("b", { level: "warn" }) + line("c", { level: "error" }))
    expect((await readLog(directory, "warn", 10)).map(({ level }) => level)).toEqual(["warn", "error"])
  })

  // Catches a log of many megabytes that is read completely, and half a line that is shown as a line.
  it("come from the end of a long file and skip incomplete lines", async () => {
    await write(1, line("x".repeat(1_000)).repeat(6_000) + line("last") + '{"level":"info","ti')
    const found = await messages(1_000)
    expect(found.at(-1)).toBe("last")
    expect(found).toHaveLength(1_000)
    expect(await readLog(join(directory, "nowhere"), "info", 10)).toEqual([])
  })

  // Catches a secret that is cut in two and then no longer looks like a secret.
  it("contain no secrets, even where they are cut", async () => {
    const key = `box_${"k".repeat(43)}`
    for (const padding of [0, 7_960, 7_970, 7_980]) {
      await write(1, line(`made ${key}`, { pad: "y ".repeat(padding / 2), key, home: `${homedir()}/a.md` }))
      const [shown] = await readLog(directory, "info", 1)
      expect(JSON.stringify(shown)).not.toContain("kkk")
      expect(shown?.details?.length).toBeLessThanOrEqual(8_000)
    }
    expect((await readLog(directory, "info", 1))[0]?.message).toBe("made box_[redacted]")
  })
})

describe("The endpoint", () => {
  it("returns logs only to owners with full rights", async () => {
    await using box = await startTestBox()
    const { lines } = await box.client.logs.read({ query: { limit: 5 } })
    expect(lines.map(({ message }) => message)).toContain("Ready")
    const member = await addUser(box, "ann@example.com")
    await expect(member.logs.read()).rejects.toMatchObject({ code: "forbidden" })
    const { key } = await box.client.keys.create({ body: { name: "x", scopes: ["read-only"] } })
    await expect(box.getClient(key).logs.read()).rejects.toMatchObject({ code: "forbidden" })
    for (const query of [{ limit: 0 }, { limit: 1001 }, { level: "all" as "info" }]) {
      await expect(box.client.logs.read({ query })).rejects.toMatchObject({ code: "validation" })
    }
  })
})
