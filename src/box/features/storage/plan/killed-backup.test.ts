import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import { startBoxProcess, type BoxProcess } from "../../../testing/box-process.ts"

const getClient = (box: BoxProcess, key: string) =>
  createClient({ baseUrl: box.url, headers: { "x-api-key": key } })

// Catches half an archive under the name of a backup, and a night without a backup because the server was killed.
it("leaves no half archive when it is killed, and makes the backup at the next start", async () => {
  const root = await mkdtemp(join(tmpdir(), "casella-killed-"))
  const [dataDir, directory] = [join(root, "data"), await mkdtemp(join(root, "backups-"))]
  const names = async () => readdir(directory)
  try {
    const box = await startBoxProcess(dataDir)
    const key = box.firstRunKey ?? ""
    const client = getClient(box, key)
    // Data that can't be compressed takes long enough to be killed in between.
    await mkdir(join(dataDir, "folders"), { recursive: true })
    for (let part = 0; part < 3; part++)
      await writeFile(join(dataDir, "folders", `noise-${part}.bin`), randomBytes(24 * 2 ** 20))
    const plan = { every: "day", weekday: 1, at: null, directory, keep: 3 } as const
    const { state } = await client.storage.planBackups({ body: { plan } })
    expect(state.plan).not.toBeNull()
    await expect.poll(async () => (await client.storage.backupPlan()).state.running).toBe(true)
    const staging = join(dataDir, "uploads")
    const started = async () =>
      [...(await readdir(staging, { recursive: true })), ...(await names())].some((path) =>
        path.endsWith(".tgz"),
      )
    await expect.poll(started, { interval: 5 }).toBe(true)
    const exited = once(box.child, "exit")
    box.child.kill("SIGKILL")
    await exited
    expect(await names()).toEqual([])

    const restarted = await startBoxProcess(dataDir)
    const after = getClient(restarted, key)
    const last = async () => (await after.storage.backupPlan()).state.last
    await expect.poll(last).toMatchObject({ error: null })
    const [name = "", ...more] = await names()
    expect(more).toEqual([])
    const { stdout } = await promisify(execFile)("tar", ["tzf", join(directory, name)])
    expect(stdout).toContain("casella.sqlite")
    await restarted.stop()
    expect(await readdir(staging).catch(() => [])).toEqual([])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
