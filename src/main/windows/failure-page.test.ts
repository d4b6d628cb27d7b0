import { expect, test } from "vitest"
import { failurePage } from "./recover-page.ts"
import { createStrings } from "../strings/strings.ts"

// Catches crash text that becomes markup, and a failure page that may run scripts.
test("shows the reason as text and allows nothing else", async () => {
  const address = failurePage(await createStrings("en"), "http://127.0.0.1:1", '<img src=x onerror="a">')
  const html = decodeURIComponent(address.slice(address.indexOf(",") + 1))
  expect(html).not.toContain("<img")
  expect(html).toContain("default-src 'none'")
  expect(html).toContain('href="http://127.0.0.1:1/"')
  expect(html).not.toContain("script")
})
