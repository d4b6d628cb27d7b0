import { existsSync } from "node:fs"
import { cp, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient } from "../shared/client/http-client.ts"
import { runCommand, startBoxProcess, type BoxProcess } from "./testing/box-process.ts"
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
const clientOf = (box: BoxProcess, key: string) =>
  createClient({ baseUrl: box.url, headers: { "x-api-key": key } })

describe("Running the box", () => {
  // Would catch: logs on stdout, a first-run key at every start, a shutdown that hangs or fails.
  it("prints one ready line, shows the first key once, and exits 0 on SIGTERM", async () => {
    const first = await start()
    const ready = JSON.parse(first.stdout[0] ?? "") as Record<string, unknown>
    expect(ready).toMatchObject({ event: "ready", pid: first.child.pid, dataDir })
    expect(ready["firstRunKey"]).toMatch(/^box_[\w-]{43}$/)
    expect((await clientOf(first, first.firstRunKey ?? "").account.me()).workspaces).toHaveLength(1)
    expect(await first.stop()).toBe(0)
    expect(first.stdout).toHaveLength(1)

    const second = await start()
    expect(second.firstRunKey).toBeUndefined()
    expect(await second.stop("SIGINT")).toBe(0)
  })

  // Would catch: two boxes writing to one database.
  it("refuses a second box on the same data directory with exit code 2", async () => {
    await start()
    const second = await runCommand("--port", "0", "--data", dataDir)
    expect(second.code).toBe(2)
    expect(second.stderr).toContain("Another Casella box is running")
    expect(second.stdout).toBe("")
  })

  // Would catch: what the first box acknowledges after a second one, or a restore, took its database's place.
  it("refuses a second box, and what needs a stopped one, also when somebody deleted the lock", async () => {
    const first = await start()
    await rm(join(dataDir, "box.lock"))
    const beside = await mkdtemp(join(tmpdir(), "casella-beside-"))
    const backup = join(beside, "backup.tgz")
    expect((await runCommand("backup", backup, "--data", dataDir)).code).toBe(0)
    for (const args of [
      ["--port", "0"],
      ["restore", backup],
      ["salvage", join(beside, "salvaged")],
    ]) {
      const second = await runCommand(...args, "--data", dataDir)
      expect(second).toMatchObject({ code: 2, stdout: "" })
      expect(second.stderr).toContain(
        `process ${first.child.pid}, ${first.url}) although its box.lock was deleted`,
      )
    }
    await rm(beside, { recursive: true })
    await first.stop("SIGKILL")
    await start()
  })

  // Would catch: a copy that is refused as if the running original's lock had been deleted from it.
  it("starts on a copy that was made while the original runs", async () => {
    const original = await start()
    // Copying stops at a file that goes while it copies, such as the new text of one that is being replaced.
    await waitFor(() => expect(original.stderr()).toContain("All work has begun"))
    const copy = await mkdtemp(join(tmpdir(), "casella-copy-"))
    await cp(dataDir, copy, { recursive: true, preserveTimestamps: true })
    const { stop } = await startBoxProcess(copy)
    expect(await stop()).toBe(0)
    expect(await original.stop()).toBe(0)
    await rm(copy, { recursive: true })
  })

  // Would catch: a lock that outlives the process that held it.
  it("starts again after being killed", async () => {
    const first = await start()
    await first.stop("SIGKILL")
    const second = await start()
    expect((await clientOf(second, first.firstRunKey ?? "").account.me()).user.id).toBeTruthy()
  })

  // Would catch: parts of documents that a killed box leaves for good, and a second start that takes the first one's.
  it("keeps temporary files in the data directory, and a start removes what a killed box left", async () => {
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

  // Would catch: hours of indexing after which freed memory is kept in dozens of heaps.
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

  // Would catch: a data directory that other users of the computer can read.
  it("makes a data directory for its owner alone", { tags: "unix" }, async () => {
    dataDir = join(dataDir, "new")
    await start()
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  })

  it("says what to change on wrong flags", async () => {
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

  it("says so when the data directory is a file", async () => {
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

  // Would catch: serving from a damaged database, or a stack trace instead of advice.
  it("refuses a damaged database and says how to go on", async () => {
    const first = await start()
    await first.stop()
    await truncate(join(dataDir, "casella.sqlite"), 6000)
    const outcome = await runCommand("--port", "0", "--data", dataDir)
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toContain("restore")
  })
})

describe("Commands", () => {
  it("work while the box runs and while it doesn't", async () => {
    const offline = await runCommand("keys", "create", "--name", "offline", "--data", dataDir)
    expect(offline.stdout).toMatch(/^box_[\w-]{43}\n$/)
    expect((await runCommand("signin", "--data", dataDir)).code).toBe(2)

    const box = await start()
    expect((await clientOf(box, offline.stdout.trim()).account.me()).user.id).toBeTruthy()
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
    const ann = clientOf(box, hers.stdout.trim())
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

  it("fail clearly: unknown user, taken address, missing name, unknown key", async () => {
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
  // Would catch: anything an endpoint shows that a backup leaves out.
  it("bring back identical answers from every list, also into another directory", async () => {
    const box = await start()
    const key = box.firstRunKey ?? ""
    const client = clientOf(box, key)
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
    const again = await start()
    // The search index isn't in the backup: it is built anew in the background.
    await expect.poll(() => everything(clientOf(again, key), vector.id)).toEqual(answers)
    await again.stop()
    await rm(archive)
  })

  it("leave the data alone when the file isn't a backup", async () => {
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
