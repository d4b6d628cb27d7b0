import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { languageCodes } from "../src/shared/languages.ts"
import { routes } from "../src/renderer/lib/navigation/routes.ts"
import { expect, goToScreen, signIn, test } from "./page-test.ts"
import { hiddenControls } from "./narrow-controls.ts"
import { sayAll } from "./page-strings.ts"
import { startBox, type RunningBox } from "./running-box.ts"

const phone = { width: 390, height: 844 }
/** A phone, a small window, and an ordinary one at 200 %. */
const sizes = [phone, { width: 800, height: 600 }, { width: 640, height: 400 }] as const
const longName = "Minutes of the meetings about the restoration of the western cloister, 1998 to 2026"

test.use({ viewport: phone, hasTouch: true, isMobile: true })

const drawer = (page: Page) => page.getByRole("navigation", { name: "Casella" })
const show = (page: Page) => page.getByRole("button", { name: "Show the sidebar" }).tap()

// Catches a drawer that stays open over the chosen screen, or that only its own button closes.
test("on a phone the drawer closes after a choice, a tap outside it, or Esc", async ({ page, box }) => {
  await signIn(page, box)
  for (const close of [
    () => drawer(page).getByRole("link", { name: "Assistants" }).tap(),
    () => drawer(page).getByRole("link", { name: "Assistants" }).tap(), // one exists already
    () => page.touchscreen.tap(380, 400),
    () => page.keyboard.press("Escape"),
  ]) {
    await show(page)
    await expect(drawer(page)).toBeVisible()
    await close()
    await expect(drawer(page)).toBeHidden()
  }
  await expect(page.getByRole("heading", { name: "Assistants", level: 1 })).toBeVisible()
})

/** Every screen: the routes without parameters, and one example of each with parameters, with names of maximum length. */
async function getScreens({ url, key }: RunningBox): Promise<string[]> {
  const client = createClient({ baseUrl: url, headers: { "x-api-key": key } })
  const { vector } = await client.folders.create({ body: { name: longName } })
  const params = { id: vector.id }
  const file = new Blob(["The cloister was restored in 1998 for 1,200 euros. It opens on 3 May 2027."])
  const { files } = await client.files.upload({ params, file, fileName: `${longName}.md` })
  await expect
    .poll(async () =>
      (await client.files.list({ params })).files.every(({ status }) => status === "completed"),
    )
    .toBe(true)
  const { project } = await client.projects.create({ body: { name: longName, vectorIds: [vector.id] } })
  const { assistant } = await client.assistants.create({ body: { name: longName.slice(0, 60) } })
  await client.people.add({
    body: { email: "somebody.with.a.long.address@cloister.example", name: longName.slice(0, 60) },
  })
  await client.keys.create({ body: { name: longName.slice(0, 60) } })
  await client.notifications.send({
    body: { title: longName, category: "calendar", deepLink: routes.folders },
  })
  const body = {
    id: "narrow",
    messages: [{ role: "user" as const, content: `When was it restored? ${longName}` }],
    boxAddress: url,
  }
  for await (const event of client.chat.send({ body: { ...body, vector: [vector.id] } }))
    if (event.type === "error") throw new Error(event.error)
  return [
    ...(Object.values(routes).filter(
      (route) => typeof route === "string" && route !== routes.quickAsk,
    ) as string[]),
    routes.newChatIn(vector.id),
    routes.newChatInProject(project.id),
    routes.newChatWith(assistant.id),
    routes.chat("narrow"),
    routes.folder(vector.id),
    routes.folderTab(vector.id, "overview"),
    routes.folderTab(vector.id, "search"),
    routes.folderTab(vector.id, "tables"),
    routes.file(vector.id, files[0]?.id ?? ""),
    routes.project(project.id),
    routes.assistant(assistant.id),
    "/nowhere",
  ]
}

const cases = [
  ...sizes.map((size) => ["en", size] as const),
  ...languageCodes.filter((code) => code !== "en").map((code) => [code, sizes[0]] as const),
]

// Catches a control that is covered, cut off or out of reach on any narrow screen, in any language.
for (const [language, size] of cases)
  test(`no control is hidden, covered or cut at ${size.width} × ${size.height} in ${language}`, async ({
    page,
  }) => {
    test.slow() // about 50 screens
    await using box = await startBox()
    const screens = await getScreens(box)
    await page.emulateMedia({ reducedMotion: "reduce" })
    await page.setViewportSize(size)
    await signIn(page, box)
    // The sidebar is closed where it would cover the screen.
    const stored = { language, "sidebar-open": String(size.width >= 640) }
    await page.evaluate(`Object.assign(localStorage, ${JSON.stringify(stored)})`)
    await page.reload()
    await expect(page.locator("html")).toHaveAttribute("lang", language)
    const loading = new RegExp(`^(${sayAll(language, /[.:]loading$/).join("|")})`)
    const softly = expect.configure({ soft: true }) // looks at the other screens too
    for (const screen of screens) {
      await goToScreen(page, box, screen)
      await expect(page.getByText(loading), screen).toHaveCount(0)
      await softly.poll(() => page.evaluate<string[]>(hiddenControls), screen).toEqual([])
    }
  })
