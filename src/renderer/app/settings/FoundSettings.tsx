import { t } from "i18next"
import { Link } from "wouter"
import type { SettingsSection } from "../../features/settings/section.ts"
import { focusScreen } from "../../lib/keys/keep-focus.ts"
import { classNames } from "../../ui/class-names.ts"
import { findableSettings } from "./findable.ts"
import { findSettings } from "./find-settings.ts"

interface FoundSettingsProps {
  sections: readonly SettingsSection[]
  search: string
  /** The section on screen. */
  current: string
}

/** The results of a settings search. */
export function FoundSettings({ sections, search, current }: FoundSettingsProps) {
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
