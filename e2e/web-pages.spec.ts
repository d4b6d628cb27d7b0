import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expectAccessible } from "./expect-accessible.ts"
import { createFolder, expect, signIn, test } from "./page-test.ts"

const prose = "The keeper counted the ships that passed before dawn, and wrote each into his book. ".repeat(
  12,
)
const page = (about: string) =>
  `<title>Lighthouse log</title><nav>Prices</nav><article><h1>Lighthouse log</h1><p>${prose}</p><p>${about}</p></article>`

async function startWeb(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { host, [Symbol.dispose]: close }
}

// Catches a page that only scripts can add, an error that discards the input, and a copy without its source.
test("a web page becomes a file, is fetched again, and links to its source", async ({
  page: screen,
  box,
}) => {
  let answer = { status: 200, body: page("First storm") }
  using web = await startWeb((_request, response) =>
    response.writeHead(answer.status, { "content-type": "text/html" }).end(answer.body),
  )
  await signIn(screen, box)
  await createFolder(screen, "Web")
  const openDialog = async () => {
    await screen.getByRole("button", { name: "Add files" }).click()
    await screen.getByRole("menuitem", { name: "Web page…" }).click()
  }
  await openDialog()
  const dialog = screen.getByRole("dialog", { name: "Add a web page" })
  const address = dialog.getByLabel("Address")
  await expect(address).toBeFocused()
  await address.fill(`http://${web.host}/log`)
  await dialog.getByLabel("Refresh").selectOption({ label: "Every day" })
  await screen.keyboard.press("Enter")
  // A private address is refused immediately; the input stays, and the message shows what to do.
  await expect(dialog.getByText(/isn't on the public internet/)).toBeVisible()
  await expect(address).toHaveValue(`http://${web.host}/log`)
  await expectAccessible(screen, "a web page that is refused")
  await dialog.getByRole("button", { name: "Allow" }).click()
  await expect(dialog).toBeHidden()

  const row = screen.getByRole("row").filter({ hasText: "Lighthouse log.html" })
  await expect(row.getByText("Indexed", { exact: true })).toBeVisible()
  await expect(row).toContainText(new RegExp(`updated .* · ${web.host}/log`))
  await row.getByRole("button", { name: "Lighthouse log.html", exact: true }).click()
  const document = screen.getByRole("complementary", { name: "Document" })
  await expect(document.getByText("First storm")).toBeVisible()
  await expect(document.getByRole("link", { name: "Open page" })).toHaveAttribute(
    "title",
    `http://${web.host}/log`,
  )

  // The open document updates when the page changes.
  answer = { status: 200, body: page("Second storm") }
  await row.getByRole("button", { name: "Actions for Lighthouse log.html" }).click()
  await screen.getByRole("menuitem", { name: "Refresh" }).click()
  await expect(document.getByText("Second storm")).toBeVisible()
  await screen.keyboard.press("Escape")

  answer = { status: 503, body: "" }
  await row.getByRole("button", { name: "Actions for Lighthouse log.html" }).click()
  await screen.getByRole("menuitem", { name: "Refresh" }).click()
  await expect(row).toContainText("Last refresh failed")
  await row.getByRole("button", { name: "Actions for Lighthouse log.html" }).click()
  await screen.getByRole("menuitem", { name: "Details" }).click()
  const details = screen.getByRole("dialog", { name: "Lighthouse log.html" })
  await expect(details.getByText(/503/)).toBeVisible()
  await details.getByLabel("Refresh").selectOption({ label: "Every week" })
  await expect(details.getByLabel("Refresh")).toHaveValue("168")
  await expectAccessible(screen, "a web page's details")
  await screen.keyboard.press("Escape")

  await screen.goto(`${box.url}/#/settings/privacy`)
  const hosts = screen.getByRole("list", { name: "Allowed addresses on your network" })
  await expect(hosts).toContainText(web.host)
  await hosts.getByRole("button").click()
  await expect(hosts).toBeHidden()
})
