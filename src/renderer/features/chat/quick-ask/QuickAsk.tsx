import { t } from "i18next"
import { ExternalLink, Plus } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { v7 as newId } from "uuid"
import { Router, type BaseLocationHook } from "wouter"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"
import { useWindowKeys } from "../../../lib/keys/shortcut.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { QuickChat } from "./QuickChat.tsx"

/** Opens an in-app route in the main window. */
function openInMain(route: string): void {
  const shell = shellBridge()
  if (shell) void shell.openInMain(route)
  else navigate(route)
}

/** Links in this small window open in the main one. */
const useMainLocation: BaseLocationHook = Object.assign(
  (): [string, (to: string) => void] => [routes.quickAsk, openInMain],
  { hrefs: (href: string) => `#${href}` },
)

/** A small window for asking a question from anywhere, with the answer below it. Esc hides the window; the answer continues. */
export function QuickAsk() {
  const [chatId, setChatId] = useState(() => newId())
  const [asked, setAsked] = useState(false)
  const [shown, setShown] = useState(0)
  const startOver = useMemo(
    () => () => {
      setChatId(newId())
      setAsked(false)
    },
    [],
  )
  useEffect(() => shellBridge()?.on("quickAskShown", () => setShown((count) => count + 1)), [])
  useWindowKeys((event) => {
    if (event.key !== "Escape") return
    event.preventDefault()
    void shellBridge()?.hideQuickAsk()
  })

  return (
    // oxlint-disable-next-line react/hooks -- wouter takes its hook as a value
    <Router hook={useMainLocation}>
      <main aria-label={t("frame:quickAsk.name")} className="flex h-full flex-col bg-canvas">
        <header className="flex h-10 shrink-0 items-center gap-1 pr-2 pl-4 [app-region:drag] [&_button]:[app-region:no-drag]">
          <img src="/casella.svg" alt="" className="size-4" />
          <h1 className="ml-1.5 flex-1 text-sm font-medium text-soft">{t("frame:quickAsk.name")}</h1>
          {asked && (
            <>
              <IconButton label={t("frame:quickAsk.again")} onClick={startOver}>
                <Plus aria-hidden />
              </IconButton>
              <IconButton
                label={t("frame:quickAsk.openInCasella")}
                onClick={() => openInMain(routes.chat(chatId))}
              >
                <ExternalLink aria-hidden />
              </IconButton>
            </>
          )}
        </header>
        <QuickChat key={chatId} chatId={chatId} shown={shown} onAsked={() => setAsked(true)} />
      </main>
    </Router>
  )
}
