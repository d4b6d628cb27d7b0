import "./lib/zod-without-eval.ts"
import "@fontsource-variable/inter/wght.css"
import { createRoot } from "react-dom/client"
import "./ui/theme.css"
import { App } from "./app/App.tsx"
import { adoptPlainPath } from "./lib/hash-location.ts"
import { startLanguage } from "./lib/language.ts"
import { applyTheme } from "./lib/theme.ts"

applyTheme()
adoptPlainPath()
await startLanguage()
const root = document.getElementById("root")
if (root) createRoot(root).render(<App />)
