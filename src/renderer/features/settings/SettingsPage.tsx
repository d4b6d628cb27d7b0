import { t } from "i18next"
import { type LucideIcon, ArrowLeft } from "lucide-react"
import { type ComponentType, useEffect, type RefObject, Suspense, useRef } from "react"
import { useOwner } from "../../data/session.ts"
import { shortcutName } from "../../lib/keys/shortcut.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { IconLink } from "../../ui/controls/Button.tsx"
import { SectionTitle } from "../../ui/controls/Sections.tsx"

export interface SettingsSection {
  path: string
  /** Its name in the page's language; call it while rendering. */
  name: () => string
  icon: LucideIcon
  group: SettingsGroupId
  /** It concerns all users' data or the computer, and the box refuses everyone except owners. */
  ownersOnly?: true
  Content: ComponentType
}

export const settingsGroups = ["general", "models", "tools", "people", "data", "help"] as const
type SettingsGroupId = (typeof settingsGroups)[number]

const nameSelector = "h2, label, legend, dt, p, button, span, div"
const controlSelector = "input:not([type=hidden]), select, textarea, button, a[href]"
/** Maximum wait for the setting to appear, because many sections load their data first. */
const maxWaitMs = 10_000
/** Duration of the highlight's fade. */
const markMs = 2_500
/** The timer that ends the current highlight. */
let unmarking: ReturnType<typeof setTimeout> | undefined

/** Scrolls to the setting named `wanted`, highlights it for a moment, and focuses its control. */
function useMarkedSetting(
  body: RefObject<HTMLElement | null>,
  path: string,
  wanted: string | undefined,
): void {
  useEffect(() => {
    const within = body.current
    if (!within || wanted === undefined) return
    const done = new AbortController()
    const check = () => {
      const setting = settingCalled(wanted, within)
      if (!setting) return
      done.abort()
      markSetting(setting)
      // Removes the name from the address, so that choosing the setting again highlights it again and Back leads to the previous page.
      navigate(path, { replace: true })
    }
    const observer = new MutationObserver(check)
    const limit = setTimeout(() => done.abort(), maxWaitMs)
    done.signal.addEventListener("abort", () => {
      observer.disconnect()
      clearTimeout(limit)
    })
    observer.observe(within, { childList: true, subtree: true, characterData: true })
    check()
    return () => done.abort()
  }, [body, path, wanted])
}

/** Finds a setting by its visible name: the group with this heading, or the smallest element around the name that has a control. */
function settingCalled(name: string, within: HTMLElement): HTMLElement | undefined {
  let setting = [...within.querySelectorAll<HTMLElement>(nameSelector)].find(
    ({ textContent }) => textContent.trim() === name,
  )
  if (setting?.matches("h2")) return setting.closest("section") ?? setting
  while (setting && !setting.querySelector(controlSelector) && setting.parentElement !== within)
    setting = setting.parentElement ?? undefined
  return setting
}

function markSetting(setting: HTMLElement): void {
  const focusable = [...setting.querySelectorAll<HTMLElement>(controlSelector)].filter(
    (control) => !control.matches(":disabled"),
  )
  const control = focusable.find((candidate) => candidate.matches(":checked")) ?? focusable[0]
  control?.focus({ preventScroll: true })
  setting.scrollIntoView({ block: "center" })
  for (const before of document.querySelectorAll<HTMLElement>("[data-marked]"))
    delete before.dataset["marked"]
  setting.dataset["marked"] = ""
  clearTimeout(unmarking)
  unmarking = setTimeout(() => delete setting.dataset["marked"], markMs)
}

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
