import type { FirstScreen } from "../../../shared/contract/first-screen.ts"
import { createBox, box } from "../box.ts"

/** What the page shows first: the answer that was asked for early, once; otherwise it is asked for now. */
export function firstScreen(signal: AbortSignal): Promise<FirstScreen> {
  const begun = window.firstScreen
  window.firstScreen = undefined
  return begun ? createBox(() => begun).page.firstScreen() : box.page.firstScreen({}, { signal })
}
