import { describe, expect, test } from "vitest"
import { createWriteQueue, type Change } from "./write-queue.ts"

const record = (id: string, text = id) => ({ id, vectorId: "v", fileId: "f", text })
const put = (...ids: string[]): Change => ({ kind: "put", passages: ids.map((id) => record(id)) })

function recorder() {
  const commits: Change[] = []
  const gate = Promise.withResolvers<void>()
  const queue = createWriteQueue(async (change) => {
    commits.push(change)
    await gate.promise
  })
  return { commits, queue, gate }
}

describe("write queue", () => {
  test("adjacent changes of one kind share a commit, and the order of kinds is kept", async () => {
    const { commits, queue, gate } = recorder()
    const done = [
      queue.add(put("a")),
      queue.add(put("b")),
      queue.add(put("c")),
      queue.add({ kind: "remove", column: "fileId", ids: ["f"] }),
      queue.add(put("d")),
    ]
    gate.resolve()
    await Promise.all(done)
    expect(commits.map((change) => change.kind)).toEqual(["put", "put", "remove", "put"])
    expect(commits[1]).toMatchObject({ passages: [{ id: "b" }, { id: "c" }] })
  })

  test("within a commit, the last of two passages with one id wins", async () => {
    const { commits, queue, gate } = recorder()
    gate.resolve()
    await queue.add({ kind: "put", passages: [record("a", "old"), record("a", "new")] })
    expect(commits).toMatchObject([{ passages: [{ text: "new" }] }])
  })

  test("a failed commit rejects only its own callers", async () => {
    let calls = 0
    const queue = createWriteQueue(() =>
      ++calls === 1 ? Promise.reject(new Error("disk")) : Promise.resolve(),
    )
    await expect(queue.add(put("a"))).rejects.toThrow("disk")
    await expect(queue.add(put("b"))).resolves.toBeUndefined()
  })

  test("changes over the limit are refused immediately", async () => {
    const { queue, gate } = recorder()
    const first = queue.add(put("a"))
    const much = queue.add({
      kind: "put",
      passages: Array.from({ length: 100_000 }, (_, id) => record(`p${id}`)),
    })
    await expect(queue.add(put("b"))).rejects.toMatchObject({ code: "unavailable" })
    gate.resolve()
    await Promise.all([first, much])
  })

  test("closing finishes the running commit, refuses the rest and reports it", async () => {
    const { commits, queue, gate } = recorder()
    const running = queue.add(put("a"))
    const waiting = queue.add(put("b"))
    const closed = queue.close()
    gate.resolve()
    await running
    await expect(waiting).rejects.toMatchObject({ code: "unavailable" })
    expect(await closed).toBe(false)
    expect(commits).toHaveLength(1)
    await expect(queue.add(put("c"))).rejects.toMatchObject({ code: "unavailable" })
  })
})
