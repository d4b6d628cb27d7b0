import { renderToStaticMarkup } from "react-dom/server"
import { expect, test, vi } from "vitest"
import { LazyMarkdown, warmMarkdown } from "./LazyMarkdown.tsx"

// Would catch what stands in its place being drawn first where Markdown was fetched ahead: React leaves it there for 300 ms.
test("Markdown that was fetched ahead is drawn at once", async () => {
  vi.stubGlobal("requestIdleCallback", () => undefined)
  await warmMarkdown()
  expect(renderToStaticMarkup(<LazyMarkdown text="**a**" />)).toContain("<strong>a</strong>")
})
