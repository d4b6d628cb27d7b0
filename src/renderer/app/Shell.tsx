import { PanelLeft } from "lucide-react"
import { useCallback, useEffect, useState } from "react"
import { useLocation } from "wouter"
import { startLiveUpdates } from "../data/live-updates.ts"
import { UploadTray } from "../features/folders/UploadTray.tsx"
import { startAnnouncing } from "../features/notifications/announcer.ts"
import { Bell } from "../features/notifications/Bell.tsx"
import { DocumentPanel } from "../features/passages/DocumentPanel.tsx"
import { OpenDocumentContext, type OpenDocument } from "../lib/open-document.ts"
import { isModified, shortcutName, useWindowKeys } from "../lib/shortcut.ts"
import { classNames } from "../ui/class-names.ts"
import { IconButton } from "../ui/IconButton.tsx"
import { CommandPalette } from "./CommandPalette.tsx"
import { Screens } from "./Screens.tsx"
import { Sidebar } from "./Sidebar.tsx"

const sidebarKey = "sidebar"

/** The app's frame: sidebar, screen, and a document at the side. */
export function Shell() {
  const [location, navigate] = useLocation()
  const [sidebarOpen, setSidebarOpen] = useState(() => localStorage.getItem(sidebarKey) !== "closed")
  const [paletteOpen, setPaletteOpen] = useState(false)
  const [shown, setShown] = useState<{ document: OpenDocument; on: string }>()
  const openDocument = useCallback(
    (document: OpenDocument) => setShown({ document, on: location }),
    [location],
  )
  // A document belongs to the screen that it was opened on.
  const document = shown?.on === location ? shown.document : undefined

  useEffect(startLiveUpdates, [])
  useEffect(startAnnouncing, [])

  function toggleSidebar() {
    localStorage.setItem(sidebarKey, sidebarOpen ? "closed" : "open")
    setSidebarOpen(!sidebarOpen)
  }

  useWindowKeys((event) => {
    const action = shortcutAction(event)
    if (!action) return
    event.preventDefault()
    action()
  })

  function shortcutAction(event: KeyboardEvent): (() => void) | undefined {
    if (event.key === "Escape") return document && (() => setShown(undefined))
    if (!isModified(event)) return undefined
    const actions: Record<string, () => void> = {
      k: () => setPaletteOpen(!paletteOpen),
      b: toggleSidebar,
      j: () => navigate("/"),
    }
    return actions[event.key.toLowerCase()]
  }

  return (
    <OpenDocumentContext value={openDocument}>
      <div className={classNames("relative flex h-full", !sidebarOpen && "sidebar-closed")}>
        {sidebarOpen && <Sidebar onOpenPalette={() => setPaletteOpen(true)} onCollapse={toggleSidebar} />}
        {!sidebarOpen && (
          <div className="absolute top-2.5 left-2.5 z-10 flex gap-1">
            <IconButton label="Show the sidebar" keys={shortcutName("B")} onClick={toggleSidebar}>
              <PanelLeft aria-hidden />
            </IconButton>
            <Bell />
          </div>
        )}
        <main className="flex min-w-0 flex-1">
          <Screens />
        </main>
        {document && (
          <DocumentPanel key={keyOf(document)} document={document} onClose={() => setShown(undefined)} />
        )}
        <UploadTray />
        {paletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
      </div>
    </OpenDocumentContext>
  )
}

const keyOf = ({ fileId, passage }: OpenDocument) => `${fileId}:${passage?.id ?? ""}`
