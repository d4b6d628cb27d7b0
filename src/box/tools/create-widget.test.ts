import { expect, it } from "vitest"
import { createWidget } from "./create-widget.ts"
import { testContext } from "./testing/tool-context.ts"

it("limits the size of a widget", async () => {
  const widget = { title: "Dice", html: "<button>Roll</button>" }
  const { parts } = await createWidget().run(widget, testContext())
  expect(parts).toEqual([{ type: "widget", ...widget }])
  const large = createWidget().run({ ...widget, html: "x".repeat(200_001) }, testContext())
  await expect(large).rejects.toMatchObject({ code: "validation" })
})
