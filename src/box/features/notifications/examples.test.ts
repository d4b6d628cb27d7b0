import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectApp } from "../../testing/clients.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
let key: string
beforeAll(async () => {
  box = await startTestBox()
  key = (await box.client.keys.create({ body: { name: "My scripts", scopes: ["notify"] } })).key
})
afterAll(() => box[Symbol.asyncDispose]())

const page = readFileSync(new URL("../../../../docs/how-to/send-a-notification.md", import.meta.url), "utf8")
const examples = [...page.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(([, language = "", code = ""]) => ({
  language,
  code,
}))

/** The command and test tags for each language's example. */
const runners: Record<string, { command: string; args: string[]; tags: string[] }> = {
  sh: { command: "sh", args: ["-c"], tags: ["unix"] },
  powershell: { command: "pwsh", args: ["-NoProfile", "-Command"], tags: ["powershell"] },
  python: { command: "python3", args: ["-c"], tags: ["python"] },
  js: { command: process.execPath, args: ["--input-type=module", "-e"], tags: [] },
}

async function run(command: string, args: string[]) {
  const child = spawn(command, args, {
    env: { ...process.env, CASELLA_API_KEY: key },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, errors }
}

// Catches an example in the documentation that doesn't work.
describe("The documentation's example", () => {
  it("exists for each language", () => {
    expect(examples.map(({ language }) => language).toSorted()).toEqual(Object.keys(runners).toSorted())
  })

  for (const { language, code } of examples) {
    const { command, args, tags } = runners[language] ?? { command: "none", args: [], tags: [] }
    it(`in ${language} sends one`, { tags }, async () => {
      using app = await connectApp(box.url, box.key)
      const here = code.replaceAll("http://127.0.0.1:8484", box.url)
      expect(here).not.toBe(code)
      expect(await run(command, [...args, here])).toEqual({ code: 0, errors: "" })
      expect((await app.next("notification")).notification).toMatchObject({
        title: "Backup finished",
        type: "success",
      })
    })
  }
})
