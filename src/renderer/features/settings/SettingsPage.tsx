import { t } from "i18next"
import { ArrowLeft } from "lucide-react"
import { Suspense, useRef } from "react"
import { shortcutName } from "../../lib/keys/shortcut.ts"
import { IconLink } from "../../ui/controls/Button.tsx"
import { SectionTitle } from "../../ui/controls/Sections.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { useMarkedSetting } from "./marked-setting.ts"
import type { SettingsSection } from "./section.ts"
import { useOwner } from "../../data/session.ts"

interface SettingsPageProps {
  section: SettingsSection
  /** Name of the setting to scroll to and highlight. */
  wanted: string | undefined
  /** The route before the settings were opened. */
  back: string
}

/** One section of the settings. The sidebar shows links to the others. */
export function SettingsPage({ section, wanted, back }: SettingsPageProps) {
  const owner = useOwner()
  const body = useRef<HTMLDivElement>(null)
  const { path, name, ownersOnly, Content } = section
  useMarkedSetting(body, path, wanted)
  return (
    <section aria-label={name()} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name()} icon={<BackLink to={back} />} />
      <div key={path} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <div ref={body} className="mx-auto max-w-2xl p-5">
          {ownersOnly && !owner ? (
            <Note>{t("settings:ownersOnly", { name: name() })}</Note>
          ) : (
            <Suspense fallback={<Spinner label={t("common:loading")} />}>
              <SectionTitle value={name()}>
                <Content />
              </SectionTitle>
            </Suspense>
          )}
        </div>
      </div>
    </section>
  )
}

/** The back link for when the sidebar is closed, as it usually is on a phone. */
const BackLink = ({ to }: { to: string }) => (
  <span className="-ml-2 hidden in-[.sidebar-closed]:block">
    <IconLink href={to} label={t("settings:back")} keys={shortcutName("close")}>
      <ArrowLeft aria-hidden />
    </IconLink>
  </span>
)
