// Boxes that take over from each other while the active one is killed every few seconds: node bench/taking-over.ts [writes] [seconds]
import { setTimeout as wait } from "node:timers/promises"
import { type StartingBoxProcess, startTeamBoxes, type TeamBoxes } from "../src/box/testing/box-process.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { freePort } from "../src/shared/testing/free-port.ts"
import { percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const boxes = 3
const writers = 16
/** One write in this many is a file; the others are notifications. */
const filesEvery = 20
const timeoutMs = 30 * 60_000

/** Acknowledged writes: the returned id by the assigned name. */
interface Written {
  notifications: Map<string, string>
  files: Map<string, string>
}

export async function run(writes = 5_000, everySeconds = 4): Promise<BenchResult[]> {
  await using team = await startTeamBoxes()
  const ports = await Promise.all(Array.from({ length: boxes }, freePort))
  const running: StartingBoxProcess[] = []
  const begin = (at: number) => {
    running[at] = team.begin(String(at), {}, ["--port", String(ports[at])])
    return running[at]
  }
  const first = await begin(0).ready
  const key = first.firstRunKey ?? ""
  for (let at = 1; at < boxes; at++) begin(at)
  const written: Written = { notifications: new Map(), files: new Map() }
  let at = 0
  const gaps: number[] = []
  let lastAcknowledged = performance.now()
  const over = new AbortController()

  const clients = ports.map((port) =>
    createClient({ baseUrl: `http://127.0.0.1:${port}`, headers: { "x-api-key": key } }),
  )
  const clientAt = (index: number) => {
    const client = clients[index % boxes]
    if (!client) throw new Error("There is no box.")
    return client
  }
  const { id } = (await clientAt(0).folders.create({ body: { name: "Bench" } })).vector

  /** Tries the boxes in turn, as a proxy does, until one acknowledges; uses a new name each time. */
  async function writeOne(number: number): Promise<void> {
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      const client = clientAt(at)
      const name = `${number}-${attempt}`
      try {
        if (number % filesEvery === 0) {
          const receipt = await client.files.upload({
            params: { id },
            file: new Blob([name]),
            fileName: `${name}.txt`,
          })
          written.files.set(`${name}.txt`, receipt.files[0]?.id ?? "")
        } else {
          const { notification } = await client.notifications.send({ body: { title: name } })
          written.notifications.set(name, notification.id)
        }
        const now = performance.now()
        if (now - lastAcknowledged > 500) gaps.push(now - lastAcknowledged)
        lastAcknowledged = now
        return
      } catch {
        if (clients[at] === client) at = (at + 1) % boxes
        await wait(20)
      }
    }
  }

  const deadline = performance.now() + timeoutMs
  let kills = 0
  const killing = (async () => {
    while (!over.signal.aborted) {
      await wait(everySeconds * 1000)
      const victim = at
      running[victim]?.child.kill("SIGKILL")
      kills++
      await wait(200)
      begin(victim)
    }
  })()
  const began = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (next < writes) await writeOne(next++)
    }),
  )
  const tookMs = performance.now() - began
  over.abort()
  await killing
  const { lost, doubled } = await compare(team, written)
  const acknowledged = written.notifications.size + written.files.size
  return [
    { name: "acknowledged writes", value: acknowledged, unit: "" },
    { name: "… a second, with the killing", value: acknowledged / (tookMs / 1000), unit: "/s" },
    { name: `kills, every ${everySeconds} s`, value: kills, unit: "" },
    { name: "lost", value: lost, unit: "", target: "0", ok: lost === 0 },
    { name: "doubled", value: doubled, unit: "", target: "0", ok: doubled === 0 },
    { name: "pauses of the writers, median", value: percentile(gaps, 0.5), unit: "ms" },
    {
      name: "… longest",
      value: Math.max(...gaps),
      unit: "ms",
      target: "≤3000",
      ok: Math.max(...gaps) <= 3000,
    },
  ]
}

async function compare(team: TeamBoxes, written: Written): Promise<{ lost: number; doubled: number }> {
  const named = async (statement: string) => (await team.asked(statement)) as { id: string; name: string }[]
  const notifications = await named("SELECT id, title AS name FROM notifications")
  const files = await named("SELECT id, name FROM files WHERE object IS NOT NULL")
  let [lost, doubled] = [0, 0]
  for (const [rows, known] of [
    [notifications, written.notifications],
    [files, written.files],
  ] as const) {
    const ids = new Map<string, string[]>()
    for (const { id, name } of rows) ids.set(name, [...(ids.get(name) ?? []), id])
    for (const [name, id] of known) if (!ids.get(name)?.includes(id)) lost++
    for (const [, of] of ids) if (of.length > 1) doubled++
  }
  return { lost, doubled }
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 5_000), Number(process.argv[3] ?? 4)))
