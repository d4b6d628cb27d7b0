import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import {
  killsItself,
  startBoxProcess,
  startFaultyBox,
  type BoxProcess,
} from "../../../testing/box-process.ts"

const getClient = (box: BoxProcess, key: string) =>
  createClient({ baseUrl: box.url, headers: { "x-api-key": key } })

// Catches half an archive under the name of a backup, and a night without a backup because the server was killed.
it("leaves no half archive when it is killed, and makes the backup at the next start", async () => {
  const root = await mkdtemp(join(tmpdir(), "casella-killed-"))
  const [dataDir, directory] = [join(root, "data"), await mkdtemp(join(root, "backups-"))]
  const names = async () => readdir(directory)
  try {
    const box = await startFaultyBox(killsItself("before", "link", ".tgz"), dataDir)
    const exited = once(box.child, "exit")
    const key = box.firstRunKey ?? ""
    const plan = { every: "day", weekday: 1, at: null, directory, keep: 3 } as const
    const { state } = await getClient(box, key).storage.planBackups({ body: { plan } })
    expect(state.plan).not.toBeNull()
    await exited
    const staging = join(dataDir, "uploads")
    expect(await readdir(staging, { recursive: true })).toContainEqual(expect.stringMatching(/\.tgz$/))
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
