import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, type Client } from "../../shared/client/http-client.ts"
import { signIn, tokenIn } from "../testing/clients.ts"
import { runCommand, startBoxProcess, type BoxProcess } from "../testing/box-process.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"

let dataDir: string
let key: string
let box: BoxProcess
let client: Client
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-ask-"))
  box = await startBoxProcess(dataDir)
  key = box.firstRunKey ?? ""
  client = getClient({ "x-api-key": key })
})
afterAll(async () => {
  await box.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const getClient = (headers: Record<string, string>) => createClient({ baseUrl: box.url, headers })
const ask = (...args: string[]) => runCommand("ask", ...args, "--data", dataDir)

/** Waits for the open question with this title. */
const asked = (title: string) =>
  waitFor(async () => {
    const found = (await client.questions.list()).questions.find((question) => question.title === title)
    if (!found) throw new Error("It wasn't asked yet.")
    return found
  })
/** Answers a question as the app does. */
async function answer(id: string, choice: string): Promise<void> {
  const { user } = await client.account.me()
  const { links } = await client.people.signInLinks({ params: { id: user.id } })
  const app = getClient(await signIn(box.url, tokenIn(links.local)))
  await app.questions.answer({ params: { id }, body: { choice } })
}

describe("ask", () => {
  // Catches a script that confuses two choices, and a key left behind by each call.
  it("prints the choice, and exits with its index", async () => {
    const running = ask("Where to?", "--choices", "here, there,nowhere", "--description", "Version 2")
    const question = await asked("Where to?")
    expect(question).toMatchObject({ choices: ["here", "there", "nowhere"], description: "Version 2" })
    expect(Date.parse(question.expiresAt) - Date.parse(question.createdAt)).toBe(600_000)
    await answer(question.id, "nowhere")
    expect(await running).toEqual({ code: 2, stdout: "nowhere\n", stderr: "" })
    expect((await client.keys.list()).keys.map(({ name }) => name)).toEqual(["First run"])
  })

  // Catches a script that continues as if someone had answered, and control characters in a choice that reach the terminal.
  it("exits with 124 if no one answered in time, unless there is a default", async () => {
    const red = "\u001b[31mred"
    const [nobody, byDefault, commanding] = await Promise.all([
      ask("Anybody?", "--choices", "yes,no", "--timeout", "10"),
      ask("Still there?", "--choices", "yes,no", "--timeout", "10", "--default", "no"),
      ask("Which?", "--choices", `${red},blue`, "--timeout", "10", "--default", red),
    ])
    expect(nobody).toMatchObject({ code: 124, stdout: "" })
    expect(byDefault).toMatchObject({ code: 1, stdout: "no\n" })
    expect(commanding).toMatchObject({ code: 0, stdout: "␛[31mred\n" })
  })

  // Catches a script that hangs, or forgets its question, if the box is killed before the user answers.
  it("keeps waiting for the same question when the box is killed and returns at another address", async () => {
    const running = ask("Restart?", "--choices", "yes,no")
    const { id } = await asked("Restart?")
    await box.stop("SIGKILL")
    box = await startBoxProcess(dataDir)
    client = getClient({ "x-api-key": key })
    expect((await asked("Restart?")).id).toBe(id)
    await answer(id, "yes")
    expect(await running).toEqual({ code: 0, stdout: "yes\n", stderr: "" })
  })

  // Catches a user's answer that is lost, or whose notification still offers the choices.
  it("receives an answer even if the box was killed right after it", async () => {
    const running = ask("Killed?", "--choices", "yes,no")
    const { id } = await asked("Killed?")
    await answer(id, "no")
    await box.stop("SIGKILL")
    box = await startBoxProcess(dataDir)
    client = getClient({ "x-api-key": key })
    expect(await running).toMatchObject({ code: 1, stdout: "no\n" })
    const { notifications } = await client.notifications.list()
    expect(notifications.find(({ question }) => question?.id === id)).toMatchObject({
      read: true,
      question: { status: "answered", answer: "no" },
    })
  })

  // Catches a failure whose exit status is the index of a choice.
  it("exits with 125 on failure, which is no choice's index", async () => {
    const attempts: [string[], string][] = [
      [["x"], "--choices yes,no"],
      [["x", "--choices", "yes,yes"], "choices"],
      [["x", "--choices", "yes,no", "--default", "maybe"], "default"],
      [["x", "--choices", "yes,no", "--timeout", "5"], "expiresInSeconds"],
      [["x", "--choices", "yes,no", "--timeout", "soon"], "expiresInSeconds"],
      [["x", "--choices", "yes,no", "--key", "box_wrong"], "API key"],
      [["x", "--choices", "yes,no", "--limit", "3"], "no option"],
      [["--choices", "yes,no"], "Usage"],
    ]
    await Promise.all(
      attempts.map(async ([args, reason]) => {
        const outcome = await ask(...args)
        expect(outcome).toMatchObject({ code: 125, stdout: "" })
        expect(outcome.stderr).toContain(reason)
      }),
    )
    const empty = await mkdtemp(join(tmpdir(), "casella-ask-"))
    const outcome = await runCommand("ask", "x", "--choices", "yes,no", "--data", empty)
    expect(outcome).toMatchObject({ code: 125, stdout: "" })
    expect(outcome.stderr).toContain("isn't running")
    await rm(empty, { recursive: true, force: true })
  })
})
