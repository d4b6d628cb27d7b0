import type { FirstScreen } from "../../../shared/contract/first-screen.ts"
import { createBox, box } from "../box.ts"

/** Returns the first page's data: from the early request the first time, otherwise from a new one. */
export function firstScreen(signal: AbortSignal): Promise<FirstScreen> {
  const begun = window.firstScreen
  window.firstScreen = undefined
  return begun ? createBox(() => begun).page.firstScreen() : box.page.firstScreen({}, { signal })
}
