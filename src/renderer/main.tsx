import "@fontsource-variable/inter/wght.css"
import { createRoot } from "react-dom/client"
import "./ui/theme.css"
import { App } from "./app/App.tsx"
import { adoptPlainPath } from "./lib/navigation/hash-location.ts"
import { keepFocus } from "./lib/keys/keep-focus.ts"
import { watchPresses } from "./lib/later.ts"
import { startLanguage } from "./lib/words/language.ts"
import { followSessionSecret } from "./lib/browser/sign-in-storage.ts"
import { startUiLog } from "./lib/browser/ui-log.ts"

startUiLog()
adoptPlainPath()
keepFocus()
watchPresses(window)
followSessionSecret()
// No `await` here: with one, the bundler would split the code shared with later parts into dozens of files.
void startLanguage().then(() => {
  const root = document.getElementById("root")
  if (root) createRoot(root).render(<App />)
})
