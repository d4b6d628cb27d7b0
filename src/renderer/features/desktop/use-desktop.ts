import i18next from "i18next"
import { useEffect } from "react"
import { useUnreadCount } from "../../data/notifications.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { useQuietMode } from "../../lib/quiet-mode.ts"
import { openReport } from "../../lib/report-dialog.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"

const shownLanguage = () => (i18next.language === "it" ? "it" : "en")

/** Keeps the desktop integration in step with the page: badge, tray, menus and the routes they open. */
export function useDesktop(): void {
  const [quiet, setQuiet] = useQuietMode()
  const unread = useUnreadCount()
  const language = shownLanguage()

  useEffect(() => void shellBridge()?.setLanguage(language), [language])
  useEffect(() => void shellBridge()?.setQuiet(quiet), [quiet])
  useEffect(() => {
    if (unread !== undefined) void shellBridge()?.setUnreadCount(unread)
  }, [unread])
  useEffect(() => shellBridge()?.on("quietChanged", setQuiet), [setQuiet])
  useEffect(() => {
    const go = async () => {
      const route = await shellBridge()?.takeRoute()
      // The report dialog opens over the current page, because the report is about that page.
      if (route === routes.newReport) await openReport()
      else if (typeof route === "string") navigate(route)
    }
    void go()
    return shellBridge()?.on("routeWaiting", () => void go())
  }, [])
}
