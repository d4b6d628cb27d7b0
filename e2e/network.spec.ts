import { networkInterfaces } from "node:os"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

const hasNetwork = Object.values(networkInterfaces())
  .flat()
  .some((at) => at?.family === "IPv4" && !at.internal)

// Catches a box that admits others only with flags, a switch that doesn't explain its effect, and one that doesn't disconnect anyone.
test(
  "a switch admits other computers, which open the page with a sign-in link, and cuts them off again",
  { tag: "@screen/network" },
  async ({ page, browser }) => {
    test.skip(!hasNetwork, "this computer is in no network")
    await using box = await startBox()
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/network`)
    const toggle = page.getByRole("switch", { name: "Allow access from other computers" })
    await expect(toggle).not.toBeChecked()
    await toggle.click()
    const asked = page.getByRole("alertdialog")
    await expect(asked).toContainText("Signing in still requires a link from you")
    await expect(asked).toContainText("isn’t encrypted")
    await expect(asked).toContainText(/http:\/\/\d+\.\d+\.\d+\.\d+:\d+/)
    await expectAccessible(page, "the question")
    await asked.getByRole("button", { name: "Cancel" }).click()
    await expect(toggle).not.toBeChecked()

    await toggle.click()
    await asked.getByRole("button", { name: "Allow access" }).click()
    await expect(toggle).toBeChecked()
    const addresses = page.getByRole("list", { name: "Enter this address on the other device:" })
    const address = (await addresses.locator("code").first().textContent()) ?? ""
    await expectAccessible(page, "switched on")

    const context = await browser.newContext()
    const theirs = await context.newPage()
    await theirs.goto(address)
    await expect(theirs.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    const { user } = await client.account.me()
    const { links } = await client.people.signInLinks({ params: { id: user.id } })
    await theirs.goto("about:blank") // the link may differ only after the #
    await theirs.goto(links.network.find((link) => link.startsWith(address)) ?? "")
    await expect(theirs.getByRole("link", { name: "New chat" }).first()).toBeVisible()

    await toggle.click()
    await expect(toggle).not.toBeChecked()
    await expect(theirs.getByText("Casella isn’t answering").first()).toBeVisible()
    await context.close()
  },
)
