import { t } from "i18next"
import { ArrowLeft } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import { useOwner } from "../../data/session.ts"
import { type SettingsSection, settingsGroups } from "../../features/settings/SettingsPage.tsx"
import { focusScreen } from "../../lib/keys/keep-focus.ts"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { classNames } from "../../ui/class-names.ts"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { SidebarLink } from "../sidebar/SidebarLink.tsx"
import { hasRoomForSidebar } from "../sidebar/sidebar-layout.ts"
import { findableSettings, findSettings, settingsSections } from "./SettingsScreen.tsx"
import { getRouteBeforeSettings } from "./leave-settings.ts"

interface FoundSettingsProps {
  sections: readonly SettingsSection[]
  search: string
  /** The section on screen. */
  current: string
}

/** The results of a settings search. */
function FoundSettings({ sections, search, current }: FoundSettingsProps) {
  const found = findSettings(sections, findableSettings(), search)
  return (
    <>
      <output className={classNames("block px-2 text-sm text-soft", found.length > 0 && "sr-only")}>
        {found.length > 0
          ? t("settings:foundCount", { count: found.length })
          : t("settings:nothing", { search })}
      </output>
      <ul aria-label={t("settings:found")}>
        {found.map(({ address, name, within }) => (
          <li key={address}>
            <Link
              href={address}
              onClick={focusScreen}
              data-found
              title={name}
              aria-current={address === current ? "page" : undefined}
              className="flex min-h-8 flex-col justify-center rounded-md px-2 py-1.5 text-sm hover:bg-hover"
            >
              <span className="line-clamp-2">{name}</span>
              {within !== undefined && <span className="truncate text-xs text-faint">{within}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Replaces the sidebar with the settings pages by group, a settings search and a link back. */
export function SettingsSidebar({ justOpened }: { justOpened: boolean }) {
  const [search, setSearch] = useState("")
  const [location, navigate] = useLocation()
  const owner = useOwner()
  const list = useRef<HTMLDivElement>(null)
  useShortcuts({ searchChats: () => focusField(list.current) })
  // The control that opened the settings is gone, and the focus with it. This sidebar loads late, so the user may already be in the bell or
  // in a field of the page. On a phone the keyboard would cover the pages.
  useEffect(() => {
    const isElsewhere = document.activeElement?.closest("[role=dialog], main :focus") != null
    if (justOpened && hasRoomForSidebar() && !isElsewhere) focusField(list.current)
  }, [justOpened])
  // The list may be taller than the window.
  useEffect(() => {
    const current = list.current?.querySelector(`li a[href="#${CSS.escape(location)}"]`)
    current?.scrollIntoView({ block: "nearest" })
  }, [location])

  const sections = settingsSections.filter(({ ownersOnly }) => owner || !ownersOnly)
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys of what is in it
    <div ref={list} className="flex min-h-0 flex-1 flex-col" onKeyDown={moveByArrows}>
      <div className="px-2">
        <Link
          href={getRouteBeforeSettings()}
          title={`${t("settings:back")} (${shortcutName("close")})`}
          className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-soft hover:bg-hover hover:text-ink"
        >
          <ArrowLeft className="size-4 shrink-0" aria-hidden />
          {t("settings:back")}
        </Link>
      </div>
      <form
        className="px-2 pt-1 pb-2"
        onSubmit={(event) => {
          event.preventDefault()
          const first = list.current?.querySelector("[data-found]")?.getAttribute("href")
          if (search.trim() === "" || first == null) return
          navigate(first.slice(1))
          focusScreen()
        }}
      >
        <SearchField label={t("settings:find")} value={search} onChange={setSearch} />
      </form>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {search.trim() === "" ? (
          settingsGroups.map((group) => {
            const groupSections = sections.filter((section) => section.group === group)
            if (groupSections.length === 0) return null
            return (
              <div key={group} className="mb-3">
                <h2 id={`settings-${group}`} className="px-2 pb-0.5 text-xs font-medium text-faint">
                  {t(`settings:groups.${group}`)}
                </h2>
                <ul aria-labelledby={`settings-${group}`}>
                  {groupSections.map(({ path, name, icon: Icon }) => (
                    <li key={path}>
                      <SidebarLink href={path} icon={<Icon strokeWidth={1.75} aria-hidden />} title={name()}>
                        {name()}
                      </SidebarLink>
                    </li>
                  ))}
                </ul>
              </div>
            )
          })
        ) : (
          <FoundSettings sections={sections} search={search.trim()} current={location} />
        )}
      </div>
    </div>
  )
}

const focusField = (within: HTMLElement | null) => within?.querySelector("input")?.focus()

/** The arrow keys move through the pages and results, also from the search field. */
function moveByArrows(event: React.KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || event.nativeEvent.isComposing) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, li a")]
  const at = stops.indexOf(event.target as HTMLElement)
  const next = stops[at + step]
  if (at < 0 || !next) return
  event.preventDefault()
  next.focus()
}
