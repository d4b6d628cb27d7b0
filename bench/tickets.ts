import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import SqliteDatabase from "better-sqlite3"
import type { BenchResult } from "./result.ts"
import { builtProgram } from "../src/shared/testing/built-program.ts"

const cli = builtProgram("auth")
const seconds = 5
const connections = 16
const ticketBytes = 2_048
const largestTicket = 20_000_000
const password = "a long enough password"

/** Tickets per second, memory cost of a 20 MB ticket, and a quota during a thousand concurrent posts. */
export async function run(): Promise<BenchResult[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "casella-bench-tickets-"))
  try {
    await command(dataDir, "users", "add", "busy@example.com", "--password", password, "--name", "Busy")
    await command(dataDir, "users", "add", "bound@example.com", "--password", password, "--name", "Bound")
    for (const email of ["busy@example.com", "bound@example.com"]) {
      await command(dataDir, "quota", "set", email, "--per-day", "1000000", "--per-minute", "1000000")
    }
    await command(dataDir, "quota", "set", "bound@example.com", "--per-day", "100")
    return [await memory(dataDir), await rate(dataDir), ...(await quota(dataDir))]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function rate(dataDir: string): Promise<BenchResult> {
  await using service = await startService(dataDir)
  const post = await service.poster("busy@example.com")
  const body = makeTicket(ticketBytes)
  let created = 0
  const end = Date.now() + seconds * 1000
  const client = async () => {
    while (Date.now() < end) if ((await post(body)) === 201) created++
  }
  await Promise.all(Array.from({ length: connections }, client))
  const value = created / seconds
  return {
    name: "Tickets of 2 KB created on SQLite",
    value,
    unit: "/s",
    floor: bareInserts(dataDir),
    target: "≥200",
    ok: value >= 200,
  }
}

/** Commits rows of 2 KB to the same disk, without a server. */
function bareInserts(dataDir: string): number {
  const sqlite = new SqliteDatabase(join(dataDir, "floor.sqlite"))
  sqlite.pragma("journal_mode = WAL")
  sqlite.pragma("synchronous = FULL")
  sqlite.exec("create table rows (text)")
  const insert = sqlite.prepare("insert into rows values (?)")
  const text = "x".repeat(ticketBytes)
  const start = performance.now()
  let count = 0
  while (performance.now() - start < 1000) {
    insert.run(text)
    count++
  }
  sqlite.close()
  return count
}

async function memory(dataDir: string): Promise<BenchResult> {
  await using service = await startService(dataDir)
  const post = await service.poster("busy@example.com")
  await post(makeTicket(ticketBytes))
  const body = largeTicket()
  const before = service.residentBytes()
  service.forgetPeak()
  const status = await post(body)
  const value = (service.peakBytes() - before) / 1_000_000
  return {
    name: `Memory raised by a ticket of ${(body.length / 1_000_000).toFixed(1)} MB (answered ${status})`,
    value,
    unit: "MB",
    target: "≤80",
    ok: status === 201 && value <= 80,
  }
}

async function quota(dataDir: string): Promise<BenchResult[]> {
  await using service = await startService(dataDir)
  const post = await service.poster("bound@example.com")
  const body = makeTicket(ticketBytes)
  const statuses = await Promise.all(Array.from({ length: 1000 }, () => post(body)))
  const created = statuses.filter((status) => status === 201).length
  const refused = statuses.filter((status) => status === 429).length
  return [
    {
      name: "Created by 1,000 parallel posts, quota 100",
      value: created,
      unit: "",
      target: "=100",
      ok: created === 100,
    },
    { name: "Refused with 429 of them", value: refused, unit: "", target: "=900", ok: refused === 900 },
  ]
}

function makeTicket(bytes: number): Buffer {
  const ticket = { sourceApp: "bench", title: "A ticket", description: "" }
  const description = "x".repeat(bytes - JSON.stringify(ticket).length)
  return Buffer.from(JSON.stringify({ ...ticket, description }))
}

/** The largest allowed ticket: screenshot and attachment at their limits, filled up with logs and context. */
function largeTicket(): Buffer {
  const line = { ts: "2026-01-01T00:00:00.000Z", level: "info", message: "è".repeat(1000) }
  const lines = Array.from({ length: 500 }, () => line)
  const ticket = {
    sourceApp: "bench",
    title: "Large 🎫",
    description: "A large ticket",
    screenshot: `data:image/png;base64,${"A".repeat(3_999_978)}`,
    attachment: `data:application/pdf;base64,${"B".repeat(7_999_972)}`,
    uiLogs: lines,
    serverLogs: lines,
    context: { filler: "" },
  }
  const size = Buffer.byteLength(JSON.stringify(ticket))
  ticket.context.filler = "c".repeat(largestTicket - size)
  return Buffer.from(JSON.stringify(ticket))
}

async function command(dataDir: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [cli, ...args, "--data", dataDir], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  const [code] = (await once(child, "close")) as [number]
  if (code !== 0) throw new Error(`auth ${args.join(" ")} ended with ${code}`)
}

async function startService(dataDir: string) {
  const child = spawn(process.execPath, [cli, "--port", "0", "--data", dataDir], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
  const { url } = JSON.parse(line) as { url: string }
  const agent = new Agent({ keepAlive: true, maxSockets: 1000 })
  const status = (field: string) => {
    const text = readFileSync(`/proc/${child.pid}/status`, "utf8")
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)?.[1]) * 1024
  }

  const send = (path: string, body: Buffer, bearer?: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        "content-length": String(body.length),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      }
      const outgoing = request(url + path, { method: "POST", agent, headers }, (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }))
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })
  const ask = async (path: string, body: object, bearer?: string) =>
    JSON.parse((await send(path, Buffer.from(JSON.stringify(body)), bearer)).text) as {
      jwt: string
      key: string
    }

  return {
    residentBytes: () => status("VmRSS"),
    peakBytes: () => status("VmHWM"),
    /** Resets the kernel's record of peak memory. */
    forgetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, "5"),
    /** Posts tickets with a cloud key of this user; returns the status. */
    async poster(email: string) {
      const { jwt } = await ask("/api/auth/sign-in/email", { email, password })
      const { key } = await ask("/api/auth/api-key", { name: "bench", expiresIn: 3600 }, jwt)
      return async (body: Buffer) => (await send("/api/v1/tickets", body, key)).status
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      child.kill("SIGTERM")
      await once(child, "close")
    },
  }
}
