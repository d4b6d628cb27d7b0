import { once } from "node:events"
import { mkdtemp, mkdtempDisposable, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createClient } from "../../shared/client/http-client.ts"
import { runCommand, runCommandWith, startBoxProcess } from "../testing/box-process.ts"
import { connectApp } from "../testing/clients.ts"
import { accountCommands } from "./accounts.ts"
import { backupCommands } from "./backup.ts"

// Catches a mistyped directory in which a command creates a database and reports that there are no accounts.
it("creates no data directory for commands that need existing data", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-users-"))
  const data = join(directory.path, "mistyped")
  const run = (words: string, ...args: string[]) =>
    [...accountCommands, ...backupCommands]
      .find((command) => command.words.join(" ") === words)
      ?.run({ data, name: "Ann" }, args)
  for (const [words, ...args] of [
    ["keys list"],
    ["keys revoke", "x"],
    ["users list"],
    ["users disable", "ann@example.com"],
    ["users enable", "ann@example.com"],
    ["workspaces list"],
    ["backup", join(directory.path, "backup.tgz")],
  ] as const) {
    await expect(run(words, ...args), words).rejects.toThrow("contains no data of Casella")
    expect(await readdir(directory.path), words).toEqual([])
  }
  await run("keys create")
  expect(await run("keys list")).toHaveLength(1)
})

// Catches a disabled user who keeps working in a running box or gets in through another command, a sign-in link with the wrong address, and
// a command that is missing from the audit log.
it("locks a user out of the running box when a command disables them, until they are enabled", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-users-"))
  const box = await startBoxProcess(dataDir)
  const email = "ann@example.com"
  const run = async (...args: string[]) => runCommand(...args, "--data", dataDir)
  try {
    await run("users", "add", email, "--name", "Ann")
    const key = (await run("keys", "create", "--name", "x", "--user", email)).stdout.trim()
    using app = await connectApp(box.url, key)
    const closed = once(app.socket, "close")
    expect(await run("users", "disable", email)).toMatchObject({ code: 0 })
    expect((await closed)[0]).toBe(1008)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    await expect(client.account.me()).rejects.toMatchObject({ code: "unauthorized" })
    expect(await run("signin", "--user", email)).toMatchObject({ code: 2, stdout: "" })
    expect(await run("users", "enable", email)).toMatchObject({ code: 0 })
    expect((await run("signin", "--user", email)).stdout).toContain("/#/signin?token=")
    const env = { CASELLA_PUBLIC_URL: "https://casella.example" }
    const { stdout } = await runCommandWith({ env }, "signin", "--data", dataDir)
    expect(stdout).toMatch(/^https:\/\/casella\.example\/#\/signin\?token=/)
    expect((await run("users", "disable", "owner@casella.local")).code).toBe(2)
    const owner = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
    const { entries } = await owner.auditLog.list({ query: {} })
    const logged = entries.map(({ via, action, outcome }) => `${via} ${action} ${outcome}`)
    expect(logged).toEqual([
      "command people.disabled failed",
      "command people.link_made done",
      "command people.link_made done",
      "command people.enabled done",
      "command people.disabled done",
      "command keys.created done",
      "command people.added done",
    ])
  } finally {
    await box.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})
