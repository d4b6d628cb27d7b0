import {
  clientId,
  clientSecret,
  startTestProvider,
} from "../src/box/features/accounts/provider/testing/test-provider.ts"
import { expect, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const secretName = "CASELLA_OIDC_CLIENT_SECRET"

// Catches a page from which users can't reach the provider, return or sign out, and a token that stays in the history.
test("signs in at a provider, returns to the screen where the session ended, and signs out there too", async ({
  page,
}) => {
  await using provider = await startTestProvider()
  process.env[secretName] = clientSecret
  await using box = await startBox(
    "--oidc-issuer",
    provider.issuer,
    "--oidc-client-id",
    clientId,
    "--oidc-groups",
    "staff",
  ).finally(() => delete process.env[secretName])
  provider.trust(box.url)

  await page.addInitScript(`localStorage.setItem("first-run", "done")`)
  await page.goto(box.url)
  const button = page.getByRole("button", { name: `Sign in with ${new URL(provider.issuer).host}` })
  await expect(button).toBeVisible()
  await page.screenshot({ path: test.info().outputPath("sign-in.png") })
  await button.click()
  await expect(page.getByText("Your provider didn’t sign you in.")).toBeVisible() // the provider doesn't admit anyone yet
  await page.screenshot({ path: test.info().outputPath("failed.png") })
  await page.emulateMedia({ colorScheme: "dark" })
  await page.screenshot({ path: test.info().outputPath("failed-dark.png") })
  await page.getByRole("button", { name: "Other ways to sign in" }).click()
  await expect(page.getByText("Or print a new link")).toBeVisible()
  await page.screenshot({ path: test.info().outputPath("sign-in-dark.png") })

  provider.person = { sub: "ada", email: "ada@example.com", name: "Ada Example", groups: ["staff"] }
  await button.click()
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  const visited = await page.evaluate<string>("location.href + document.referrer")
  expect(visited).not.toMatch(/token=|code=/)
  await page.goto(`${box.url}/#/settings`)
  await expect(page.getByLabel("Email")).toHaveValue("ada@example.com")

  // The session ends elsewhere, but the provider still knows the user.
  await page.context().clearCookies({ name: /casella_session/ })
  await page.reload()
  await expect(page.getByLabel("Email")).toHaveValue("ada@example.com")

  await page.getByRole("button", { name: "Sign out" }).click()
  await expect(page).toHaveURL(/session\/end/)
  expect(provider.ended).toBe(1)
})
