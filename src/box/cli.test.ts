import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient } from "../shared/client/http-client.ts"
import { runCommand, startBoxProcess, type BoxProcess } from "./testing/box-process.ts"
import { copyWhileUsed } from "./testing/disk.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let dataDir: string
const running: BoxProcess[] = []
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cli-"))
})
afterEach(async () => {
  for (const box of running.splice(0))
    if (box.child.exitCode === null && box.child.signalCode === null) await box.stop("SIGKILL")
  await rm(dataDir, { recursive: true, force: true })
})

const start = async (...flags: string[]) => {
  const box = await startBoxProcess(dataDir, ...flags)
  running.push(box)
  return box
}
const getClient = (box: BoxProcess, key: string) =>
  createClient({ baseUrl: box.url, headers: { "x-api-key": key } })

describe("Running the box", () => {
  // Catches logs on stdout, a first-run key at every start, and a shutdown that hangs or fails.
  it("prints one ready line, shows the first key once, and exits with 0 on SIGTERM", async () => {
    const first = await start()
    const ready = JSON.parse(first.stdout[0] ?? "") as Record<string, unknown>
    expect(ready).toMatchObject({ event: "ready", pid: first.child.pid, dataDir })
    expect(ready["firstRunKey"]).toMatch(/^box_[\w-]{43}$/)
    expect((await getClient(first, first.firstRunKey ?? "").account.me()).workspaces).toHaveLength(1)
    expect(await first.stop()).toBe(0)
    expect(first.stdout).toHaveLength(1)

    const second = await start()
    expect(second.firstRunKey).toBeUndefined()
    expect(await second.stop("SIGINT")).toBe(0)
  })

  // Catches two boxes that write to one database.
  it("refuses a second box on the same data directory with exit code 2", async () => {
    await start()
    const second = await runCommand("--port", "0", "--data", dataDir)
    expect(second.code).toBe(2)
    expect(second.stderr).toContain("Another Casella server is running")
    expect(second.stdout).toBe("")
  })

  // Catches writes that the first box acknowledges after a second box or a restore has replaced its database.
  it("refuses a second box, and commands that need it stopped, even if the lock was deleted", async () => {
    const first = await start()
    await rm(join(dataDir, "box.lock"))
    const siblingDirectory = await mkdtemp(join(tmpdir(), "casella-beside-"))
    const backup = join(siblingDirectory, "backup.tgz")
    expect((await runCommand("backup", backup, "--data", dataDir)).code).toBe(0)
    for (const args of [
      ["--port", "0"],
      ["restore", backup],
      ["salvage", join(siblingDirectory, "salvaged")],
    ]) {
      const second = await runCommand(...args, "--data", dataDir)
      expect(second).toMatchObject({ code: 2, stdout: "" })
      expect(second.stderr).toContain(
        `process ${first.child.pid}, ${first.url}) although its box.lock was deleted`,
      )
    }
    await rm(siblingDirectory, { recursive: true })
    await first.stop("SIGKILL")
    await start()
  })

  // Catches a copy that is refused as if the running original's lock had been deleted.
  it("starts on a copy made while the original runs", async () => {
    const original = await start()
    // A start writes much, and a copy made meanwhile could have a database that doesn't fit its write-ahead log.
    await waitFor(() => expect(original.stderr()).toContain("All work has started"))
    const copy = await mkdtemp(join(tmpdir(), "casella-copy-"))
    await copyWhileUsed(dataDir, copy)
    const { stop } = await startBoxProcess(copy)
    expect(await stop()).toBe(0)
    expect(await original.stop()).toBe(0)
    await rm(copy, { recursive: true })
  })

  // Catches a lock that outlives its process.
  it("starts again after being killed", async () => {
    const first = await start()
    await first.stop("SIGKILL")
    const second = await start()
    expect((await getClient(second, first.firstRunKey ?? "").account.me()).user.id).toBeTruthy()
  })

  // Catches parts of documents that a killed box leaves permanently, and a second start that removes those of the first.
  it("keeps temporary files in the data directory, and removes a killed box's files at the start", async () => {
    const first = await start()
    const left = join(dataDir, "tmp", "left")
    await writeFile(left, "part of a document")
    const secrets = join(dataDir, ".casella-partial-secrets")
    await writeFile(secrets, "tokens of other services")
    expect((await runCommand("--port", "0", "--data", dataDir)).code).toBe(2)
    expect(existsSync(left)).toBe(true)
    await first.stop("SIGKILL")
    await start()
    expect([left, secrets].filter((path) => existsSync(path))).toEqual([])
  })

  // Catches freed memory that stays in dozens of heaps after hours of indexing.
  it("runs with few heaps, in the process that was started", { tags: "linux" }, async () => {
    const pid = (await start()).child.pid
    const [environment, words] = await Promise.all(
      ["environ", "cmdline"].map(async (name) =>
        (await readFile(`/proc/${pid}/${name}`, "utf8")).split("\0"),
      ),
    )
    expect(environment).toContain("MALLOC_ARENA_MAX=2")
    expect(words).toContain("--max-semi-space-size=8")
  })

  // Catches a data directory that other users of the computer can read.
  it("creates a data directory that only its owner can access", { tags: "unix" }, async () => {
    dataDir = join(dataDir, "new")
    await start()
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  })

  it("describes what to change if flags are wrong", async () => {
    for (const flags of [
      ["--port", "x"],
      ["--port", "70000"],
      ["--nonsense"],
      ["--host", "0.0.0.0"],
      ["fly"],
    ]) {
      const outcome = await runCommand(...flags, "--data", dataDir)
      expect(outcome.code, flags.join(" ")).toBe(2)
      expect(outcome.stderr).not.toMatch(/^\s+at /m)
    }
  })

  it("reports a data directory that is a file", async () => {
    const file = join(dataDir, "file")
    await writeFile(file, "")
    for (const words of [
      ["--port", "0"],
      ["keys", "list"],
    ]) {
      for (const data of [file, join(file, "below")]) {
        const { code, stdout, stderr } = await runCommand(...words, "--data", data)
        expect([code, stdout]).toEqual([2, ""])
        expect(stderr).toContain("isn't a directory")
        expect(stderr).not.toMatch(/^\s+at /m)
      }
    }
  })

  // Catches serving from a damaged database, or a stack trace instead of advice.
  it("refuses a damaged database and describes what to do", async () => {
    const first = await start()
    await first.stop()
    await truncate(join(dataDir, "casella.sqlite"), 6000)
    const outcome = await runCommand("--port", "0", "--data", dataDir)
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toContain("restore")
  })
})

describe("Commands", () => {
  it("work whether the box runs or not", async () => {
    const offline = await runCommand("keys", "create", "--name", "offline", "--data", dataDir)
    expect(offline.stdout).toMatch(/^box_[\w-]{43}\n$/)
    expect((await runCommand("signin", "--data", dataDir)).code).toBe(2)

    const box = await start()
    expect((await getClient(box, offline.stdout.trim()).account.me()).user.id).toBeTruthy()
    const added = await runCommand("users", "add", "ann@example.com", "--name", "Ann", "--data", dataDir)
    expect(added.code).toBe(0)
    const hers = await runCommand(
      "keys",
      "create",
      "--name",
      "x",
      "--user",
      "ann@example.com",
      "--data",
      dataDir,
    )
    const ann = getClient(box, hers.stdout.trim())
    expect((await ann.account.me()).user.name).toBe("Ann")

    const listed = await runCommand("keys", "list", "--data", dataDir)
    const id =
      listed.stdout
        .split("\n")
        .find((line) => line.includes("ann@example.com"))
        ?.split("\t")[0] ?? ""
    expect((await runCommand("keys", "revoke", id, "--data", dataDir)).code).toBe(0)
    await expect(ann.account.me()).rejects.toMatchObject({ code: "unauthorized" })
    expect((await runCommand("users", "list", "--data", dataDir)).stdout).toContain("ann@example.com")
    expect((await runCommand("workspaces", "list", "--data", dataDir)).stdout).toContain("\t2")

    const link = (await runCommand("signin", "--data", dataDir)).stdout.trim()
    expect(link).toMatch(new RegExp(`^${box.url}/#/signin\\?token=[\\w-]{43}$`))
  })

  it("fail clearly: unknown user, address in use, missing name, unknown key", async () => {
    for (const args of [
      ["keys", "create", "--name", "x", "--user", "nobody@example.com"],
      ["keys", "create"],
      ["keys", "revoke", "nothing"],
      ["users", "add", "not-an-address", "--name", "x"],
      ["users", "add", "owner@casella.local", "--name", "x"],
    ]) {
      const outcome = await runCommand(...args, "--data", dataDir)
      expect(outcome.code, args.join(" ")).toBe(2)
      expect(outcome.stderr.trim().split("\n")).toHaveLength(1)
    }
  })
})

describe("Backup and restore", () => {
  // Catches anything that an endpoint shows but a backup omits.
  it("restore identical answers from every list, also into another directory", async () => {
    const box = await start()
    const key = box.firstRunKey ?? ""
    const client = getClient(box, key)
    const { vector } = await client.folders.create({ body: { name: "Kept" } })
    const file = new Blob(["The heron stands still."])
    await client.files.upload({
      params: { id: vector.id },
      file,
      fileName: "heron.txt",
      relativePath: "a/heron.txt",
    })
    await completed(client, vector.id)
    const archive = join(tmpdir(), `casella-backup-${process.pid}.tgz`)
    await rm(archive, { force: true })
    expect(await runCommand("backup", archive, "--data", dataDir)).toMatchObject({ code: 0 })
    expect((await runCommand("backup", archive, "--data", dataDir)).code).toBe(2)
    const answers = await everything(client, vector.id)

    expect((await runCommand("restore", archive, "--data", dataDir)).code).toBe(2)
    await client.folders.remove({ params: { id: vector.id } })
    await box.stop()
    expect(await runCommand("restore", archive, "--data", dataDir)).toMatchObject({ code: 0 })
    const restarted = await start()
    // The backup doesn't contain the search index, which is rebuilt in the background.
    await expect.poll(() => everything(getClient(restarted, key), vector.id)).toEqual(answers)
    await restarted.stop()
    await rm(archive)
  })

  it("leave the data unchanged if the file isn't a backup", async () => {
    const box = await start()
    await box.stop()
    const bogus = join(dataDir, "bogus.tgz")
    await writeFile(bogus, "not an archive")
    expect((await runCommand("restore", bogus, "--data", dataDir)).code).toBe(2)
    expect(existsSync(join(dataDir, "casella.sqlite"))).toBe(true)
  })
})

type BoxClient = ReturnType<typeof createClient>

async function completed(client: BoxClient, id: string): Promise<void> {
  const done = async () =>
    (await client.files.list({ params: { id } })).files.every((file) => file.status === "completed")
  await expect.poll(done).toBe(true)
}

async function everything(client: BoxClient, id: string): Promise<unknown> {
  const { files } = await client.files.list({ params: { id } })
  const params = { id, fileId: files[0]?.id ?? "" }
  return {
    me: await client.account.me(),
    folders: await client.folders.list(),
    folder: await client.folders.read({ params: { id } }),
    files,
    bytes: await (await client.files.content({ params })).text(),
    text: await (await client.files.text({ params })).text(),
    chats: await client.conversations.list(),
    found: await client.folders.search({ body: { query: "heron", vector: [id] } }),
  }
}
