import { t } from "i18next"
import { CloudOff, PanelLeft } from "lucide-react"
import { useEffect, Suspense, useState } from "react"
import { useLocation } from "wouter"
import { reconnectNow, useConnection, startLiveUpdates } from "../data/live-updates.ts"
import { useUnreadCount } from "../data/notifications.ts"
import type { WantedDialog } from "../features/conversations/ConversationActions.tsx"
import { toggleBell } from "../features/notifications/Bell.tsx"
import { startAnnouncing } from "../features/notifications/announcer.ts"
import { shellBridge } from "../lib/browser/shell-bridge.ts"
import { isShortcut, shortcutName, useShortcuts, useWindowKeys } from "../lib/keys/shortcut.ts"
import { later } from "../lib/later.ts"
import { navigate } from "../lib/navigation/hash-location.ts"
import { OpenDocumentContext, useShownDocument } from "../lib/navigation/open-document.ts"
import { routes } from "../lib/navigation/routes.ts"
import { useQuietMode } from "../lib/quiet-mode.ts"
import { isBoolean, useRemembered } from "../lib/remembered.ts"
import { openReport, offerReports, useOpenReport } from "../lib/report-dialog.ts"
import { pageLanguage } from "../lib/words/language.ts"
import { Spinner } from "../ui/Progress.tsx"
import { classNames } from "../ui/class-names.ts"
import { IconButton } from "../ui/controls/Button.tsx"
import { fetchGlances } from "../ui/layers/HoverGlance.tsx"
import { warmMarkdown } from "../ui/markdown/LazyMarkdown.tsx"
import { AppBell } from "./AppBell.tsx"
import { Screens } from "./Screens.tsx"
import { loadPalette, Palette } from "./palette/Palette.tsx"
import { isSettings, leaveSettings, rememberRoute } from "./settings/leave-settings.ts"
import { Sidebar } from "./sidebar/Sidebar.tsx"
import { hasRoomForSidebar, useCloseDrawer } from "./sidebar/sidebar-layout.ts"

/** Keeps the desktop integration in step with the page: badge, tray, menus and the routes they open. */
function useDesktop(): void {
  const [quiet, setQuiet] = useQuietMode()
  const unread = useUnreadCount()
  const language = pageLanguage()

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

/** Shown for as long as the box can't be reached. */
function ConnectionBanner() {
  const { lost, trying } = useConnection()
  return (
    <output className="contents">
      {lost && (
        <div className="flex shrink-0 animate-appear items-center gap-2.5 border-b border-line bg-warning-tint px-4 py-1.5 text-sm in-[.sidebar-closed]:pl-20">
          <CloudOff className="size-4 shrink-0 text-warning" aria-hidden />
          <span className="min-w-0 flex-1">{t("frame:connection.lost")}</span>
          {trying && <Spinner />}
          <button
            type="button"
            onClick={reconnectNow}
            className="shrink-0 rounded font-medium text-accent hover:underline"
          >
            {t("frame:connection.tryNow")}
          </button>
        </div>
      )}
    </output>
  )
}

const ChatDialog = later(
  async () => (await import("../features/conversations/ConversationActions.tsx")).ChatDialog,
)
const DocumentAside = later(
  async () => (await import("../features/passages/DocumentPanel.tsx")).DocumentAside,
)
const ReportDialog = later(async () => (await import("../features/support/ReportDialog.tsx")).ReportDialog)
const ShortcutOverview = later(async () => (await import("./ShortcutOverview.tsx")).ShortcutOverview)
const UploadTray = later(async () => (await import("../features/folders/uploads/UploadTray.tsx")).UploadTray)

/** The app's frame: sidebar, screen, and a document at the side. */
export function Shell() {
  const [location, navigate] = useLocation()
  const [sidebarOpen, setSidebarOpen] = useRemembered("sidebar-open", hasRoomForSidebar(), isBoolean)
  const [overlay, setOverlay] = useState<"palette" | "shortcuts" | WantedDialog>()
  const document = useShownDocument()
  const report = useOpenReport()

  useEffect(startLiveUpdates, [])
  useEffect(startAnnouncing, [])
  useEffect(offerReports, [])
  useEffect(rememberRoute, [])
  const idle = useOnceIdle()
  useEffect(() => {
    if (!idle) return
    fetchGlances()
    // On failure, opening them tries again.
    void Promise.all([loadPalette(), warmMarkdown()]).catch(() => undefined)
  }, [idle])
  useDesktop()

  const toggleSidebar = () => setSidebarOpen(!sidebarOpen)
  const closeDrawer = useCloseDrawer(sidebarOpen, () => setSidebarOpen(false))
  // A palette or dialog replaces an open drawer.
  const openOverlay = (what: "palette" | "shortcuts") => () => {
    closeDrawer?.()
    setOverlay(what)
  }
  const openShortcuts = openOverlay("shortcuts")
  const close = () => setOverlay(undefined)

  useShortcuts({
    palette: () => setOverlay("palette"),
    newChat: () => navigate(routes.newChat),
    notifications: toggleBell,
    settings: () => navigate(routes.settings),
    toggleSidebar,
    overview: openShortcuts,
    close:
      closeDrawer ?? (document.shown ? document.close : isSettings(location) ? leaveSettings : undefined),
  })

  // Also works over modal windows, so that problems in them can be reported.
  useWindowKeys((event) => {
    if (!isShortcut("report", event)) return
    event.preventDefault()
    void openReport()
  })

  return (
    <OpenDocumentContext value={document.open}>
      <div className={classNames("relative flex h-full", !sidebarOpen && "sidebar-closed")}>
        {sidebarOpen ? (
          <>
            {closeDrawer && (
              <div aria-hidden className="absolute inset-0 z-20 bg-scrim" onClick={closeDrawer} />
            )}
            <Sidebar
              onOpenPalette={openOverlay("palette")}
              onOpenShortcuts={openShortcuts}
              onCollapse={toggleSidebar}
            />
          </>
        ) : (
          <div className="absolute top-2.5 left-2.5 z-10 flex gap-1">
            <IconButton
              label={t("frame:showSidebar")}
              keys={shortcutName("toggleSidebar")}
              onClick={toggleSidebar}
            >
              <PanelLeft aria-hidden />
            </IconButton>
            <AppBell />
          </div>
        )}
        <main className="flex min-w-0 flex-1 flex-col">
          <ConnectionBanner />
          <div className="flex min-h-0 flex-1">
            <Screens />
          </div>
        </main>
        <Suspense>{idle && <UploadTray />}</Suspense>
        {overlay === "palette" && (
          <Palette
            onClose={close}
            onToggleSidebar={toggleSidebar}
            onOpenShortcuts={openShortcuts}
            onOpenChatDialog={setOverlay}
          />
        )}
        <Suspense>
          {document.shown && <DocumentAside shown={document.shown} onClose={document.close} />}
          {report && <ReportDialog key={report.ticketId ?? "new"} report={report} />}
          {typeof overlay === "object" && <ChatDialog wanted={overlay} onClose={close} />}
          {overlay === "shortcuts" && <ShortcutOverview onClose={close} />}
        </Suspense>
      </div>
    </OpenDocumentContext>
  )
}

/** Whether the browser has been idle since the app was rendered, so that parts that aren't visible yet can be loaded. */
function useOnceIdle(): boolean {
  const [idle, setIdle] = useState(false)
  useEffect(() => {
    const waiting = requestIdleCallback(() => setIdle(true))
    return () => cancelIdleCallback(waiting)
  }, [])
  return idle
}
