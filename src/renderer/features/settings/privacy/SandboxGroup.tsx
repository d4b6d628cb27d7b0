import { t } from "i18next"
import { Check, Minus } from "lucide-react"
import { SandboxLayer } from "../../../../shared/contract/privacy.ts"
import { useChildSandboxes } from "../../../data/privacy.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"

/** The sandbox layers around the programs that read untrusted files. */
export function SandboxGroup() {
  const { data, error } = useChildSandboxes()
  const reasons = new Set(data?.children.flatMap(({ walls }) => walls.flatMap(({ reason }) => reason ?? [])))
  return (
    <SettingsGroup title={t("privacy:walls.title")} description={t("privacy:walls.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {data && (
        <dl className="divide-y divide-line rounded-lg border border-line text-sm">
          {SandboxLayer.options.map((wall) => (
            <div key={wall} className="px-3 py-2.5">
              <dt>{t(`privacy:walls.wall.${wall}`)}</dt>
              <dd className="mt-1.5">
                <ul className="flex flex-wrap gap-x-4 gap-y-1">
                  {data.children.map(({ child, walls }) => (
                    <Program
                      key={child}
                      name={t(`privacy:walls.child.${child}`)}
                      stands={walls.some((one) => one.wall === wall && one.stands)}
                    />
                  ))}
                </ul>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        {[...reasons].map((reason) => (
          <Note key={reason} kind="quiet">
            {t(`privacy:walls.reason.${reason}`)}
          </Note>
        ))}
      </div>
    </SettingsGroup>
  )
}

/** Whether a sandbox layer is active for a program. */
function Program({ name, stands }: { name: string; stands: boolean }) {
  const Icon = stands ? Check : Minus
  return (
    <li className="flex items-center gap-1.5 text-soft">
      <Icon aria-hidden className={stands ? "size-4 text-accent" : "size-4"} />
      {name}
      <span className={stands ? "sr-only" : "text-faint"}>
        {t(stands ? "privacy:walls.stands" : "privacy:walls.missing")}
      </span>
    </li>
  )
}
