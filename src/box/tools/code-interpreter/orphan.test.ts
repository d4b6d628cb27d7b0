import { spawn as spawnProcess } from "node:child_process"
import { once } from "node:events"
import { expect, it } from "vitest"

const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)

// Catches Python code that runs for another minute after the box is killed, because endless code receives no events.
it("no code keeps running after the box is killed", { tags: "unix" }, async () => {
  const script = `
    import { spawnNodeChild } from ${url("../../core/children/child.ts")}
    import { createCodeInterpreter } from ${url("../code-interpreter.ts")}
    const spawn = ({ onOutput, ...options }) => {
      const child = spawnNodeChild(options)
      return { ...child, send: (job) => { child.send(job); console.log("running") } }
    }
    const python = createCodeInterpreter({ spawn, readableFiles: async () => [], jobMs: 600_000 })
    await python.run({ code: "while True: pass" }, { folderIds: [], signal: new AbortController().signal })`
  const box = spawnProcess(process.execPath, ["--input-type=module", "-e", script])
  await once(box.stdout, "data")
  box.kill("SIGKILL")
  box.stderr.resume()
  await once(box.stderr, "close") // Python inherits stderr, so it closes when both processes have exited
  expect(box.killed).toBe(true)
})
