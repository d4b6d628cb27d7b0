import { expect, test } from "vitest"
import { createClient } from "../shared/client/http-client.ts"
import { ensureTestEmbeddingModel } from "./engines/llama/testing/test-models.ts"
import { startTeamBoxes } from "./testing/box-process.ts"

// Catches standby servers that do no work, and files that fail, wait forever, are lost or have duplicate text because a server was killed
// or froze. Also catches a server that offers its work to itself after it takes over.
test(
  "standby servers read and embed for the active server, and work continues if one is killed or freezes",
  { tags: "postgresql", timeout: 180_000 },
  async () => {
    await using team = await startTeamBoxes()
    const model = ensureTestEmbeddingModel([["line"], ["walrus"]], "Tiny")
    const begin = (name: string) => team.begin(name, { CASELLA_EMBEDDING_MODEL: model })
    const first = await begin("first").ready
    const headers = { "x-api-key": first.firstRunKey ?? "" }
    const client = createClient({ baseUrl: first.url, headers })
    const metric = async (name: string) => {
      const text = await (await fetch(`${first.url}/api/metrics`, { headers })).text()
      const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`))
      return lines.map((line) => Number(line.split(" ").at(-1)))
    }
    const wait = { timeout: 60_000, interval: 200 }
    const second = begin("second")
    const third = begin("third")
    await expect.poll(() => metric("casella_worker_places"), wait).toEqual([4, 2, 2])

    const { id } = (await client.folders.create({ body: { name: "Notes" } })).vector
    const count = 40
    for (let at = 0; at < count; at++) {
      const file = new Blob([`The walrus has the number ${at}.\n\n${"A line of text.\n\n".repeat(2_000)}`])
      await client.files.upload({ params: { id }, file, fileName: `${at}.txt` })
      if (at === count / 4) second.child.kill("SIGKILL")
      if (at !== count / 2) continue
      const done = async () => (await metric("casella_worker_work_total")).map((each) => each > 0)
      await expect.poll(done, wait).toEqual([true, false, true])
      third.child.kill("SIGSTOP") // like a computer that disappears from the network
    }
    const states = async () => {
      const { files } = await client.files.list({ params: { id }, query: { limit: 100 } })
      return [...new Set(files.map(({ status }) => status))]
    }
    await expect.poll(states, wait).toEqual(["completed"])
    third.child.kill("SIGCONT")
    await expect.poll(() => metric("casella_worker_places"), wait).toEqual([2, 1, 1])

    const passages = await team.asked('SELECT "fileId", count(*) AS count FROM passages GROUP BY "fileId"')
    expect(passages).toHaveLength(count)
    expect(new Set(passages.map((row) => row["count"])).size).toBe(1)
    const bare = 'SELECT FROM passages LEFT JOIN "passageEmbeddings" ON "passageId" = id WHERE vector IS NULL'
    expect(await team.asked(bare)).toEqual([])
    const { results } = await client.folders.search({ body: { query: "walrus number 17", vector: [id] } })
    expect(results[0]?.text).toContain("number 17.")

    await first.stop("SIGKILL")
    const { url: baseUrl } = await third.ready
    const file = new Blob(["A penguin"])
    const next = createClient({ baseUrl, headers })
    await next.files.upload({ params: { id }, file, fileName: "penguin.txt" })
    const found = async () =>
      (await next.folders.search({ body: { query: "penguin", vector: [id] } })).results[0]?.text
    await expect.poll(found, wait).toContain("penguin")
  },
)
