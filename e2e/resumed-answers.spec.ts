import { expect, test } from "@playwright/test"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { startTeamBoxes, waitUntilStandby } from "../src/box/testing/box-process.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { freePort } from "../src/shared/testing/free-port.ts"
import { findPostgres } from "../src/shared/testing/test-postgres.ts"

// Catches a page that shows half an answer, or the cut-off text next to its replacement, when another box resumes it.
for (const signal of ["SIGKILL", "SIGTERM"] as const)
  test(`an answer on screen continues on another server after its server ends with ${signal}`, async ({
    page,
  }) => {
    test.skip(findPostgres() === null, "postgresql")
    const told = Promise.withResolvers<string>()
    async function* resumedText() {
      yield "Penguins "
      yield await told.promise
    }
    await using model = await startModelServer((_, round) =>
      round === 1 ? { text: "Penguins swi", unended: true } : { text: resumedText() },
    )
    await using team = await startTeamBoxes()
    const port = await freePort()
    const at = `http://127.0.0.1:${String(port)}`
    const flags = ["--model", model.baseUrl, "--public-url", at]
    const first = await team.begin("first", {}, flags).ready
    await waitUntilStandby(team.begin("second", {}, [...flags, "--port", String(port)]))

    const client = createClient({ baseUrl: first.url, headers: { "x-api-key": first.firstRunKey ?? "" } })
    const { user } = await client.account.me()
    const { links } = await client.people.signInLinks({ params: { id: user.id } })
    await page.addInitScript(`localStorage.setItem("first-run", "done")`)
    await page.goto(links.local.replace(first.url, at))
    await page.getByLabel("Message", { exact: true }).fill("Do penguins swim?")
    await page.keyboard.press("Enter")
    const answer = page.getByLabel("Answer", { exact: true })
    await expect(answer).toContainText("Penguins swi")

    await first.stop(signal)
    await expect(answer).toContainText(/Penguins\s*$/)
    told.resolve("swim well.")
    await expect(answer).toContainText("Penguins swim well.")
    await expect(page.getByRole("button", { name: "Stop" })).toBeHidden()
    await expect(answer).toHaveCount(1)
    expect((await answer.innerText()).match(/Penguins/g)).toHaveLength(1)
  })
