import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { FileEntry } from "../../shared/contract/files.ts"
import type { Folder } from "../../shared/contract/folders.ts"
import { runCommand } from "../testing/box-process.ts"
import { askInChat, startTestBox, type TestBox } from "../testing/test-box.ts"

let box: TestBox
let directory: string
let handbook: Folder
beforeAll(async () => {
  box = await startTestBox()
  directory = await mkdtemp(join(tmpdir(), "casella-contents-"))
  handbook = (await box.client.folders.create({ body: { name: "Handbook" } })).vector
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const run = (...args: string[]) => runCommand(...args, "--data", box.dataDir)
async function readJson(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await run(...args, "--json")
  expect([code, stderr]).toEqual([0, ""])
  return JSON.parse(stdout)
}

// Catches files that end up in another folder, an upload that reports success before the file can be searched, and lists that lack items.
it("folders and files are created, filled and listed", async () => {
  const folder = (await readJson("folders", "create", "Contracts")) as Folder
  const path = join(directory, "rent.txt")
  await writeFile(path, "The rent is due on the first day of each month.")
  const added = (await readJson("files", "add", path, "--folder", "contracts", "--wait")) as FileEntry[]
  expect(added.map(({ name, status }) => [name, status])).toEqual([["rent.txt", "completed"]])
  expect(await readJson("files", "list", "--folder", "Contracts")).toEqual(added)
  const listed = (await readJson("folders", "list")) as Folder[]
  expect(listed.find(({ id }) => id === folder.id)).toMatchObject({ name: "Contracts", fileCount: 1 })
  expect((await run("files", "list", "--folder", "Contracts")).stdout).toMatch(
    /\tcompleted\t47\trent\.txt\n$/,
  )
  expect((await run("search", "rent")).stdout).toContain("rent.txt")
})

// Catches a missing or mistyped file that ends with a stack, or that makes a script believe that it was uploaded.
it.each([
  [["files", "add", "/no/such/file", "--folder", "Handbook"], 1, "/no/such/file can't be read"],
  [["files", "add", "/tmp", "--folder", "Handbook"], 1, "/tmp isn't a file"],
  [["files", "add", "x"], 2, "--folder NAME is missing"],
  [["files", "list", "--folder", "Handbok"], 1, 'Did you mean "Handbook"'],
  [["chats", "show", "unknown"], 1, "Chat not found. It may have been deleted."],
  [["chats", "list", "--limit", "0"], 2, "--limit takes a number from 1 to 1000."],
])("%j is refused with the reason", async (args, code, reason) => {
  const outcome = await run(...args)
  expect(outcome).toMatchObject({ code, stdout: "" })
  expect(outcome.stderr).toContain(reason)
  expect(outcome.stderr.trim().split("\n")).toHaveLength(1)
})

// Catches a chat that can't be found again, and messages without their text.
it("chats are listed and shown", async () => {
  await askInChat(box, { id: "command-chat", content: "When is the rent due?", vector: [handbook.id] })
  expect(await readJson("chats", "list", "--limit", "1")).toMatchObject([
    { id: "command-chat", messageCount: 2 },
  ])
  expect((await run("chats", "show", "command-chat")).stdout).toContain("\nYou:\nWhen is the rent due?\n")
})

// Catches an automation that can't be named, or that doesn't run.
it("automations are listed and run", async () => {
  await box.client.automations.create({
    body: { name: "Weekly report", prompt: "Report.", trigger: { kind: "manual" } },
  })
  expect((await run("automations", "list")).stdout).toMatch(/\ton\t-\t-\tWeekly report\n$/)
  expect((await run("automations", "run", "weekly report")).stdout).toMatch(/\t(queued|running)\n$/)
})

// Catches counts that differ from the folders', and a model that doesn't answer.
it("the status counts files and names the model", async () => {
  const { vectors } = await box.client.folders.list()
  const files = vectors.reduce((sum, { fileCount }) => sum + fileCount, 0)
  const expected = { url: box.url, dataDir: box.dataDir, model: null, embeds: false, files, failedFiles: 0 }
  expect(await readJson("status")).toMatchObject({ ...expected, folders: vectors.length })
  expect((await run("status")).stdout).toContain(`${files}, of which 0 are waiting and 0 failed`)
})

// Catches lists for programs that contain secrets, or that aren't JSON.
it.each(["keys", "users", "workspaces"])("%s list --json has what the list has", async (group) => {
  const items = (await readJson(group, "list")) as object[]
  expect(items.length).toBeGreaterThan(0)
  expect(Object.keys(items[0] ?? {}).filter((name) => /hash|secret|password/i.test(name))).toEqual([])
})
