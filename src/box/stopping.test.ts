import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { ensureTestModel } from "./engines/llama/testing/test-models.ts"
import { databasePath } from "./start/open-data.ts"
import { startBoxProcess, type BoxProcess } from "./testing/box-process.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { builtProgram } from "../shared/testing/built-program.ts"

let dataDir: string
let box: BoxProcess
let client: Client
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-stop-"))
})
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

async function start(...flags: string[]): Promise<void> {
  box = await startBoxProcess(dataDir, ...flags)
  client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
}

const getChildren = (pid = 0): number[] =>
  execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .split("\n")
    .map(Number)
    .filter((child) => child > 0)

/** Zombie processes don't count as running. */
const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/**
 * Checks that the box exited by itself. After its own limit, SIGKILL would have ended it, without an exit code. A pause of the computer uses
 * up the box's time.
 */
async function expectStop(signal?: NodeJS.Signals): Promise<void> {
  const pauses = monitorEventLoopDelay()
  pauses.enable()
  expect(await box.stop(signal)).toBe(0)
  pauses.disable()
  if (pauses.max < 1e9) expect(box.stderr()).not.toContain("cleanly")
}

async function upload(text: string): Promise<string> {
  const { vector } = await client.folders.create({ body: { name: "Documents" } })
  await client.files.upload({ params: { id: vector.id }, file: new Blob([text]), fileName: "long.txt" })
  return vector.id
}

describe("a box that is asked to stop exits with 0 within 5 s", { tags: "linux" }, () => {
  // Catches a closed terminal that kills the box, together with what it was writing.
  test("when its terminal closes and can no longer be written to", async () => {
    await start()
    box.child.stdout?.destroy()
    box.child.stderr?.destroy()
    await expectStop("SIGHUP")
    expect(existsSync(join(dataDir, "box.json"))).toBe(false)
  })

  // Catches an early stop that a supervisor treats as a failure.
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("on %s before it is ready", async (signal) => {
    const cli = builtProgram("cli")
    const child = spawn(process.execPath, [cli, "--port", "0", "--data", dataDir], { stdio: "ignore" })
    const exited = once(child, "exit")
    while (!existsSync(join(dataDir, "box.lock"))) await new Promise(setImmediate)
    child.kill(signal)
    expect((await exited)[0]).toBe(0)
  })

  // Catches a box that waits for a frozen child process, and one that leaves the child running.
  test("with frozen children", async () => {
    await start("--model", ensureTestModel())
    const answer = fetch(`${box.url}/api/ai/chat`, {
      method: "POST",
      headers: { "x-api-key": box.firstRunKey ?? "", "content-type": "application/json" },
      body: JSON.stringify({
        id: "c",
        boxAddress: box.url,
        messages: [{ role: "user", content: "go on!" }],
      }),
    })
    const reader = (await answer).body?.getReader()
    await reader?.read()
    await upload("A line of text.\n\n".repeat(2_000_000))
    await waitFor(() => expect(getChildren(box.child.pid).length).toBeGreaterThan(1))
    const children = getChildren(box.child.pid)
    for (const pid of children) process.kill(pid, "SIGSTOP")
    await expectStop()
    while (children.some(isRunning)) await new Promise(setImmediate) // they have been killed but take a moment to exit
  })

  // Catches a box whose writes hang, or that can't stop, because of another program's lock.
  test("while another program locks the database, and reads aren't blocked", async () => {
    await start()
    const holder = new SqliteDatabase(databasePath(dataDir))
    holder.exec("BEGIN EXCLUSIVE")
    const write = client.folders.create({ body: { name: "Documents" } })
    const refused = expect(write).rejects.toMatchObject({ code: "unavailable", status: 503 })
    const over = refused.then(() => true)
    let reads = 0
    while (!(await Promise.race([over, client.folders.list({}).then(() => false)]))) reads++
    expect(reads).toBeGreaterThan(10)
    const last = client.folders.create({ body: { name: "Documents" } }).catch(() => undefined)
    await expectStop()
    await last
    holder.exec("ROLLBACK")
    holder.close()
  })

  // Catches a short lock that makes someone's write fail.
  test("and a write waits for another program's short lock", async () => {
    await start()
    const holder = new SqliteDatabase(databasePath(dataDir))
    holder.exec("BEGIN EXCLUSIVE")
    const write = client.folders.create({ body: { name: "Documents" } })
    await client.folders.list({})
    holder.exec("ROLLBACK")
    holder.close()
    expect((await write).vector.name).toBe("Documents")
    await expectStop()
  })

  // Catches half a backup that looks complete, and a stop that waits for a backup.
  test("during a backup", async () => {
    await start()
    await upload("A line of text.\n\n".repeat(4_000_000))
    await client.storage.startBackup({})
    await expectStop()
  })

  // Catches a stop that waits for a download.
  test("during a download", async () => {
    const hub = createServer((_request, response) => response.write("GGUF")).listen(0, "127.0.0.1")
    await once(hub, "listening")
    await start()
    const asked = once(hub, "request")
    const modelMirror = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`
    await client.settings.update({ body: { modelMirror } })
    const download = client.models.download({ body: { repo: "a/b", file: "c.gguf" } })
    void download.catch(() => undefined)
    await asked
    await expectStop()
    hub.closeAllConnections()
    hub.close()
  })
})
