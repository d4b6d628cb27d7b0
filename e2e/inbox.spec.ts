import type { Page } from "@playwright/test"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

type Draft = Parameters<Client["notifications"]["send"]>[0]["body"]
const getScript = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
const post = (box: RunningBox, body: Draft) =>
  getScript(box).notifications.send({ body: { silentToast: true, ...body } })
const chips = (page: Page) => page.getByRole("group", { name: "Filters" })
const row = (page: Page, title: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: title })

async function act(page: Page, title: string, action: string): Promise<void> {
  await row(page, title).hover()
  await row(page, title).getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name: action }).click()
}

// Catches a notification category without a chip, an old address that doesn't lead to the inbox, and wrong counts.
test(
  "one screen shows everything that arrived; chips and addresses filter it",
  { tag: ["@screen/inbox", "@screen/messages"] },
  async ({ page, box }) => {
    await getScript(box).notifications.markAllRead()
    await post(box, { title: "Invoice", category: "email" })
    await post(box, { title: "Reply", category: "email" })
    await post(box, { title: "Dentist", category: "calendar" })
    await signIn(page, box)
    await page
      .getByRole("navigation", { name: "Casella" })
      .getByRole("link", { name: /^Inbox/ })
      .click()
    await expect(page.getByRole("heading", { level: 1, name: "Inbox" })).toBeVisible()
    await expect(row(page, "Dentist")).toBeVisible()
    await expect(chips(page).getByRole("button", { name: "Contacts" })).toHaveCount(0)
    await chips(page).getByRole("button", { name: "Email 2" }).click()
    await expect(page).toHaveURL(/#\/email$/)
    await expect(row(page, "Invoice")).toBeVisible()
    await expect(row(page, "Dentist")).toHaveCount(0)
    await expectAccessible(page, "inbox")

    for (const [address, chip] of [
      ["/calendar", "Calendar"],
      ["/email", "Email"],
      ["/messaggi", "Messages"],
      ["/contacts", "Contacts"],
      ["/recordings", "Recordings"],
      ["/inbox?category=misconduct", "Security and moderation"],
    ] as const) {
      await page.goto(`${box.url}/#${address}`)
      await expect(chips(page).getByRole("button", { name: chip }), address).toHaveAttribute(
        "aria-pressed",
        "true",
      )
    }

    // A notification that arrives while a list is hidden is there when the list is opened again.
    await post(box, { title: "Contract", category: "email" })
    await page.goto(`${box.url}/#/inbox`)
    await expect(row(page, "Contract")).toBeVisible()
    await row(page, "Contract").hover()
    await row(page, "Contract").getByRole("button", { name: "Mark as read" }).click()
    await chips(page).getByRole("button", { name: "Email" }).click()
    await expect(row(page, "Contract")).toBeVisible()
  },
)

// Catches a snoozed notification that is lost, and a category that can be muted only in the settings.
test("a notification is snoozed and its category muted from its row, and do not disturb is set", async ({
  page,
  box,
}) => {
  await post(box, { title: "Call back", category: "contacts" })
  await post(box, { title: "Noise", category: "transcription" })
  await signIn(page, box)
  await page.goto(`${box.url}/#/inbox`)
  await act(page, "Call back", "Remind me in an hour")
  await expect(row(page, "Call back")).toContainText("Snoozed until")
  await expect(row(page, "Call back").getByText("Unread")).toHaveCount(0)

  await act(page, "Noise", "Mute “Recordings”")
  await expect(page.getByText("“Recordings” is muted")).toBeVisible()
  await expect
    .poll(async () => (await getScript(box).settings.read()).settings.mutedCategories)
    .toEqual(["transcription"])
  await page.goto(`${box.url}/#/recordings`)
  await page.getByRole("button", { name: "Unmute" }).click()
  await expect.poll(async () => (await getScript(box).settings.read()).settings.mutedCategories).toEqual([])

  await page.getByRole("main").getByRole("button", { name: "Do not disturb" }).click()
  await page.getByRole("menuitem", { name: "Until tomorrow morning" }).click()
  await expect(page.getByText(/^Do not disturb until/)).toBeVisible()
  await page.reload()
  await expect(page.getByText(/^Do not disturb until/)).toBeVisible()
  await page.getByRole("main").getByRole("button", { name: "Do not disturb" }).click()
  await page.getByRole("menuitem", { name: "Turn off “Do not disturb”", exact: true }).click()
  await expect(page.getByText(/^Do not disturb until/)).toHaveCount(0)
})
