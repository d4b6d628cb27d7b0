import { t } from "i18next"
import {
  CircleHelp,
  Info,
  Keyboard,
  LifeBuoy,
  ShieldCheck,
  Hand,
  Inbox,
  Bot,
  Briefcase,
  ListChecks,
  PanelLeft,
  Search,
  Settings,
  SquarePen,
} from "lucide-react"
import { Suspense, useRef, useState } from "react"
import { useLocation, Link } from "wouter"
import { useActivity } from "../../data/chats/conversations.ts"
import { useHasAutomations } from "../../data/has-automations.ts"
import { useSettings } from "../../data/settings.ts"
import { ConversationList, usePickedChats } from "../../features/conversations/ConversationList.tsx"
import { useShownUnread } from "../../features/notifications/deletions.ts"
import { useDebounced } from "../../lib/debounced.ts"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { later } from "../../lib/later.ts"
import { inboxAreaIds, areas } from "../../lib/navigation/areas.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { openReport } from "../../lib/report-dialog.ts"
import { formatCount } from "../../lib/words/format.ts"
import { IconButton, IconLink } from "../../ui/controls/Button.tsx"
import { ResizeHandle } from "../../ui/controls/ResizeHandle.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Menu, MenuItem } from "../../ui/layers/Menu.tsx"
import { AppBell } from "../AppBell.tsx"
import { isSettings } from "../settings/leave-settings.ts"
import { ModelSwitcher } from "./ModelSwitcher.tsx"
import { SidebarFolders, SidebarPinned } from "./SidebarPinned.tsx"
import { SidebarLink, SidebarProjectsRoom } from "./SidebarLink.tsx"
import { sidebarId, sidebarRange, useSidebarWidth } from "./sidebar-layout.ts"

/** Links to help. */
function HelpMenu({ onOpenShortcuts }: { onOpenShortcuts: () => void }) {
  const [, navigate] = useLocation()
  return (
    <Menu
      trigger={
        <IconButton label={t("frame:help")}>
          <CircleHelp aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={onOpenShortcuts}>
        <Keyboard aria-hidden /> {t("frame:shortcuts.title")}
      </MenuItem>
      <MenuItem onSelect={() => void openReport()}>
        <LifeBuoy aria-hidden /> {t("frame:reportProblem")}
      </MenuItem>
      <MenuItem onSelect={() => navigate(routes.about)}>
        <Info aria-hidden /> {t("frame:about")}
      </MenuItem>
    </Menu>
  )
}

/** Shown in the frame while local-only is on. */
function LocalOnlyHint() {
  const { data: settings } = useSettings()
  if (settings?.localOnly !== true) return null
  return (
    <Link
      href={routes.privacy}
      aria-label={t("frame:localOnly")}
      title={t("frame:localOnly")}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-good hover:bg-hover"
    >
      <ShieldCheck className="size-4" aria-hidden />
    </Link>
  )
}

/** Maximum waiting chats listed by name; the inbox lists all. */
const maxNamed = 3

const partRoutes = inboxAreaIds.map((id) => areas[id].route)

/** The inbox with its unread count. Chats that wait for a decision are listed below it, if there are any. */
function SidebarInbox() {
  const unread = useShownUnread()
  const { approvals } = useActivity()
  const waiting = [...Map.groupBy(approvals, ({ chatId }) => chatId).values()].flatMap(
    (some) => some[0] ?? [],
  )
  return (
    <>
      <SidebarLink
        href={routes.inbox}
        otherRoutes={partRoutes}
        icon={<Inbox aria-hidden />}
        end={
          unread > 0 && (
            <span className="ml-auto shrink-0 text-xs text-faint tabular-nums">
              <span aria-hidden>{formatCount(unread)}</span>
              <span className="sr-only">{t("frame:unread", { count: unread })}</span>
            </span>
          )
        }
      >
        {t("areas:inbox")}
      </SidebarLink>
      {waiting.length > 0 && (
        <section aria-label={t("tools:waitingForYou")} className="pb-1">
          <h2 className="px-2 pt-1.5 pb-0.5 text-xs font-medium text-warning">{t("tools:waitingForYou")}</h2>
          {waiting.slice(0, maxNamed).map(({ chatId, title }) => (
            <SidebarLink
              key={chatId}
              href={routes.chat(chatId)}
              icon={<Hand className="text-warning" aria-hidden />}
              title={title}
            >
              {title}
            </SidebarLink>
          ))}
          {waiting.length > maxNamed && (
            <SidebarLink href={routes.inbox} icon={<span className="w-4" />}>
              {t("frame:moreWaiting", { count: waiting.length - maxNamed })}
            </SidebarLink>
          )}
        </section>
      )}
    </>
  )
}

const SidebarProjects = later(async () => (await import("./SidebarProjects.tsx")).SidebarProjects)

interface SidebarProps {
  onOpenPalette: () => void
  onOpenShortcuts: () => void
  onCollapse: () => void
}

const SettingsSidebar = later(async () => (await import("../settings/SettingsSidebar.tsx")).SettingsSidebar)

/** The main navigation, or the settings navigation while the settings are open. */
export function Sidebar({ onOpenPalette, onOpenShortcuts, onCollapse }: SidebarProps) {
  const [width, setWidth] = useSidebarWidth()
  const [location] = useLocation()
  const isInSettings = isSettings(location)
  const [first] = useState(location)

  return (
    <nav
      id={sidebarId}
      aria-label={isInSettings ? t("frame:settings") : "Casella"}
      style={{ width }}
      className="relative flex max-w-[80vw] shrink-0 flex-col border-r border-line bg-sidebar max-sm:absolute max-sm:inset-y-0 max-sm:left-0 max-sm:z-30 max-sm:shadow-float"
    >
      <div className="flex h-12 shrink-0 items-center gap-0.5 pr-2.5 pl-4">
        <img src="/casella.svg" alt="" className="size-5" />
        <span className="ml-1.5 min-w-0 flex-1 truncate font-semibold tracking-tight">
          {isInSettings ? t("frame:settings") : "Casella"}
        </span>
        <AppBell />
        <IconButton label={t("frame:hideSidebar")} keys={shortcutName("toggleSidebar")} onClick={onCollapse}>
          <PanelLeft aria-hidden />
        </IconButton>
      </div>
      {isInSettings ? (
        <>
          <Suspense>
            <SettingsSidebar justOpened={!isSettings(first)} />
          </Suspense>
          <div className="p-2 empty:hidden">
            <LocalOnlyHint />
          </div>
        </>
      ) : (
        <SidebarNavigation onOpenPalette={onOpenPalette} onOpenShortcuts={onOpenShortcuts} />
      )}
      <ResizeHandle
        controls={sidebarId}
        label={t("frame:resizeSidebar")}
        width={width}
        range={sidebarRange}
        onResize={setWidth}
      />
    </nav>
  )
}

/** Screens, folders and chats. The upper part shrinks in favour of the chats; in a very low window, everything scrolls. */
function SidebarNavigation({ onOpenPalette, onOpenShortcuts }: Omit<SidebarProps, "onCollapse">) {
  const [search, setSearch] = useState("")
  const settled = useDebounced(search.trim())
  const picking = usePickedChats()
  const hasWork = useHasAutomations()
  const searchField = useRef<HTMLDivElement>(null)
  useShortcuts({ searchChats: () => searchField.current?.querySelector("input")?.focus() })

  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col low:block low:overflow-y-auto">
        <div className="min-h-20 shrink overflow-y-auto pb-1 low:overflow-visible">
          <div className="px-2">
            <SidebarLink
              href={routes.newChat}
              icon={<SquarePen aria-hidden />}
              title={`${t("frame:newChat")} (${shortcutName("newChat")})`}
            >
              {t("frame:newChat")}
            </SidebarLink>
            <button
              type="button"
              onClick={onOpenPalette}
              title={`${t("frame:searchEverything")} (${shortcutName("palette")})`}
              className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
            >
              <Search className="size-4 shrink-0" aria-hidden />
              <span className="min-w-0 truncate">{t("frame:searchEverything")}</span>
            </button>
            <SidebarInbox />
            <SidebarLink href={routes.assistants} icon={<Bot aria-hidden />} isActiveBelow>
              {t("frame:assistants")}
            </SidebarLink>
            {hasWork && (
              <SidebarLink href={routes.work} icon={<Briefcase aria-hidden />} isActiveBelow>
                {t("areas:work.name")}
              </SidebarLink>
            )}
          </div>
          <SidebarPinned />
          <Suspense fallback={<SidebarProjectsRoom />}>
            <SidebarProjects />
          </Suspense>
          <SidebarFolders />
        </div>
        <section
          aria-label={t("frame:chats")}
          className="flex min-h-[min(17.5rem,40vh)] flex-1 basis-0 flex-col border-t border-line low:h-70"
        >
          <div className="flex items-end px-2 pt-1.5 pb-0.5">
            <h2 className="min-w-0 flex-1 px-2 pb-0.5 text-xs font-medium text-faint">{t("frame:chats")}</h2>
            <IconButton
              label={t("conversations:pick.begin")}
              aria-pressed={picking.picked !== null}
              onClick={picking.picked ? picking.end : picking.begin}
              className="size-6"
            >
              <ListChecks aria-hidden />
            </IconButton>
          </div>
          <div ref={searchField} className="mx-2 mb-1">
            <SearchField label={t("frame:searchChats")} value={search} onChange={setSearch} />
          </div>
          <ConversationList search={settled} picking={picking} />
        </section>
      </div>
      <div className="flex items-center gap-1 border-t border-line p-2">
        <ModelSwitcher />
        <LocalOnlyHint />
        <HelpMenu onOpenShortcuts={onOpenShortcuts} />
        <IconLink
          href={routes.settings}
          label={t("frame:settings")}
          keys={shortcutName("settings")}
          data-keeps-drawer
        >
          <Settings aria-hidden />
        </IconLink>
      </div>
    </>
  )
}
