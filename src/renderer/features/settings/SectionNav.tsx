import { t } from "i18next"
import { Link, useLocation } from "wouter"
import { classNames } from "../../ui/class-names.ts"
import { settingsGroups, type SettingsSection } from "./section.ts"
import { useOwner } from "../../data/session.ts"

/** The sections that someone may use, by group. */
function useGroups(all: readonly SettingsSection[]) {
  const owner = useOwner()
  return settingsGroups.map((id) => ({
    id,
    name: t(`settings:groups.${id}`),
    sections: all.filter(({ group, ownersOnly }) => group === id && (owner || !ownersOnly)),
  }))
}

export function SectionNav(props: { sections: readonly SettingsSection[]; current: string }) {
  const { current } = props
  const groups = useGroups(props.sections).filter(({ sections }) => sections.length > 0)
  const [, navigate] = useLocation()
  return (
    <>
      <nav
        aria-label={t("settings:title")}
        className="hidden w-60 shrink-0 overflow-y-auto border-r border-line p-3 @min-[46rem]:block"
      >
        {groups.map(({ id, name, sections }) => (
          <div key={id} className="mb-4">
            <h2 id={`settings-${id}`} className="px-2 pb-1 text-xs text-faint">
              {name}
            </h2>
            <ul aria-labelledby={`settings-${id}`}>
              {sections.map((section) => (
                <li key={section.path}>
                  <SectionLink section={section} current={section.path === current} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="border-b border-line px-5 py-2 @min-[46rem]:hidden">
        <select
          aria-label={t("settings:section")}
          value={current}
          onChange={(event) => navigate(event.target.value)}
          className="h-9 w-full max-w-2xl rounded-md border border-line-strong bg-field px-2.5 hover:border-faint"
        >
          {groups.map(({ id, name, sections }) => (
            <optgroup key={id} label={name}>
              {sections.map((section) => (
                <option key={section.path} value={section.path}>
                  {section.name()}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
    </>
  )
}

function SectionLink({ section, current }: { section: SettingsSection; current: boolean }) {
  const { path, name, icon: Icon } = section
  return (
    <Link
      href={path}
      aria-current={current ? "page" : undefined}
      className={classNames(
        "flex h-8 items-center gap-2.5 rounded-md px-2 text-sm transition-colors",
        current ? "bg-selected text-ink" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      <Icon className="size-4 shrink-0" strokeWidth={1.75} aria-hidden />
      <span className="truncate">{name()}</span>
    </Link>
  )
}
