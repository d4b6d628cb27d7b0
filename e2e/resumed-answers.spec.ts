import { once } from "node:events"
import { connect, createServer, type AddressInfo } from "node:net"
import { expect, test } from "@playwright/test"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { startTeamBoxes, waitUntilStandby } from "../src/box/testing/box-process.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { findPostgres } from "../src/shared/testing/test-postgres.ts"

/** Forwards connections to a box that starts later, so that its address is known before it listens, and no other process can take it. */
async function startEntrance() {
  let port: string | undefined
  const server = createServer((near) => {
    if (port === undefined) return near.destroy()
    const far = connect(Number(port), "127.0.0.1")
    near.on("error", () => far.destroy()).on("close", () => far.destroy())
    far.on("error", () => near.destroy()).on("close", () => near.destroy())
    near.pipe(far).pipe(near)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadsTo(url: string) {
      port = new URL(url).port
    },
    [Symbol.dispose]: () => void server.close(),
  }
}

// Catches a page that shows half an answer, or the cut-off text next to its replacement, when another box resumes it.
for (const signal of ["SIGKILL", "SIGTERM"] as const)
  test(`an answer on screen continues on another server after its server ends with ${signal}`, async ({
    page,
  }) => {
    test.skip(findPostgres() === null, "postgresql")
    const rest = Promise.withResolvers<string>()
    async function* resumedText() {
      yield "Penguins "
      yield await rest.promise
    }
    await using model = await startModelServer((_, round) =>
      round === 1 ? { text: "Penguins swi", unended: true } : { text: resumedText() },
    )
    await using team = await startTeamBoxes()
    using entrance = await startEntrance()
    const flags = ["--model", model.baseUrl, "--public-url", entrance.url]
    const first = await team.begin("first", {}, flags).ready
    const second = await waitUntilStandby(team.begin("second", {}, flags))
    entrance.leadsTo(second.url)

    const client = createClient({ baseUrl: first.url, headers: { "x-api-key": first.firstRunKey ?? "" } })
    const { user } = await client.account.me()
    const { links } = await client.people.signInLinks({ params: { id: user.id } })
    await page.addInitScript(`localStorage.setItem("first-run", "done")`)
    await page.goto(links.local.replace(first.url, entrance.url))
    await page.getByLabel("Message", { exact: true }).fill("Do penguins swim?")
    await page.keyboard.press("Enter")
    const answer = page.getByLabel("Answer", { exact: true })
    await expect(answer).toContainText("Penguins swi")

    await first.stop(signal)
    await expect(answer).toContainText(/Penguins\s*$/)
    rest.resolve("swim well.")
    await expect(answer).toContainText("Penguins swim well.")
    await expect(page.getByRole("button", { name: "Stop" })).toBeHidden()
    await expect(answer).toHaveCount(1)
    expect((await answer.innerText()).match(/Penguins/g)).toHaveLength(1)
  })
