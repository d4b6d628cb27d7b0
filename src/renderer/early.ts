// Runs before the page's own code loads and before anything is painted (`scripts/early-script.ts`).
import { requestFirstScreen } from "./lib/request-first-screen.ts"
import { applyTheme } from "./lib/theme-choice.ts"

applyTheme()
requestFirstScreen()
