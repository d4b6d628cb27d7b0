import { t } from "i18next"
import { Suspense } from "react"
import { PageHeader } from "../../ui/PageHeader.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { SectionNav } from "./SectionNav.tsx"
import type { SettingsSection } from "./section.ts"
import { useOwner } from "../../data/session.ts"

/** One section of the settings, and the way to the others: a list at its side, or a choice above it where space is short. */
export function SettingsPage(props: { sections: readonly SettingsSection[]; section: SettingsSection }) {
  const { sections, section } = props
  const owner = useOwner()
  const { path, name, ownersOnly, Content } = section
  return (
    <section aria-label={t("settings:title")} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("settings:title")} />
      <div className="@container flex min-h-0 flex-1 flex-col">
        <div className="flex min-h-0 flex-1 flex-col @min-[46rem]:flex-row">
          <SectionNav sections={sections} current={path} />
          <div key={path} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
            <div className="max-w-2xl p-5">
              {ownersOnly && !owner ? (
                <Note>{t("settings:ownersOnly", { name: name() })}</Note>
              ) : (
                <Suspense fallback={<Spinner label={t("common:loading")} />}>
                  <Content />
                </Suspense>
              )}
            </div>
          </div>
        </div>
      </div>
    </section>
  )
}
