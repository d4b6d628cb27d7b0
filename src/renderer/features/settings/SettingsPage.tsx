import type { ReactNode } from "react"
import { Link } from "wouter"
import { routes } from "../../lib/routes.ts"
import { classNames } from "../../ui/class-names.ts"
import { NotificationsSection } from "../notifications/NotificationsSection.tsx"
import { PageHeader } from "../../ui/PageHeader.tsx"
import { AccountSection } from "./AccountSection.tsx"
import { AppearanceSection } from "./AppearanceSection.tsx"
import { KeysSection } from "./KeysSection.tsx"
import { ModelsSection } from "../models/ModelsSection.tsx"

interface Section {
  path: string
  name: string
  content: ReactNode
}

/** Settings' sections by route. A new section is one line here. */
export const settingsSections: Section[] = [
  { path: routes.settings, name: "Account", content: <AccountSection /> },
  { path: routes.models, name: "Models", content: <ModelsSection /> },
  { path: routes.keys, name: "API keys", content: <KeysSection /> },
  { path: routes.notificationSettings, name: "Notifications", content: <NotificationsSection /> },
  { path: routes.appearance, name: "Appearance", content: <AppearanceSection /> },
]

export function SettingsPage({ section }: { section: Section }) {
  return (
    <section aria-label="Settings" className="flex min-w-0 flex-1 flex-col">
      <PageHeader title="Settings" />
      <nav aria-label="Settings" className="flex gap-4 border-b border-line px-4">
        {settingsSections.map(({ path, name }) => (
          <Link
            key={path}
            href={path}
            aria-current={path === section.path ? "page" : undefined}
            className={classNames(
              "flex h-9 items-center border-b-2 px-1 text-sm hover:text-ink",
              path === section.path ? "border-accent text-ink" : "border-transparent text-soft",
            )}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="max-w-2xl p-5">{section.content}</div>
      </div>
    </section>
  )
}
