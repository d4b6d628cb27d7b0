import { setImmediate } from "node:timers/promises"
import i18next from "i18next"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, test } from "vitest"
import { waitFor } from "../../shared/testing/wait-for.ts"
import { en } from "../locales/en/en.ts"
import { controlCode, watchPresses } from "./later.ts"
import { fetchLaterStrings } from "./words/language.ts"

// Catches a control that is replaced while it is pressed, so that the browser drops the click.
test("code of a control that loads while the mouse is pressed is used after the click", async () => {
  await i18next.init({ lng: "en", resources: { en } })
  await fetchLaterStrings()
  const page = new EventTarget()
  watchPresses(page)
  const code = controlCode(() => Promise.resolve({ text: "loaded" }))
  const Control = () => code.use()?.text ?? "simple"
  const shown = () => renderToStaticMarkup(<Control />)

  page.dispatchEvent(new Event("pointerdown"))
  expect(shown()).toBe("simple")
  await fetchLaterStrings()
  await setImmediate()
  expect(shown()).toBe("simple")
  page.dispatchEvent(new Event("pointerup"))
  expect(shown()).toBe("simple")
  await waitFor(() => expect(shown()).toBe("loaded"))
})
