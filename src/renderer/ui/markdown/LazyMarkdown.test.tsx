import { renderToStaticMarkup } from "react-dom/server"
import { expect, test, vi } from "vitest"
import { LazyMarkdown, warmMarkdown } from "./LazyMarkdown.tsx"

// Catches a placeholder that is rendered first although Markdown is already loaded: React keeps a placeholder for 300 ms.
test("renders preloaded Markdown immediately", async () => {
  vi.stubGlobal("requestIdleCallback", () => undefined)
  await warmMarkdown()
  expect(renderToStaticMarkup(<LazyMarkdown text="**a**" />)).toContain("<strong>a</strong>")
})
