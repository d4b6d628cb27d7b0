import { t } from "i18next"
import { formatTime } from "../../../lib/words/format.ts"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { ProgressBar } from "../../../ui/Progress.tsx"
import { formatAmount, kinds, useOwnQuota } from "./quotas.ts"

/** The user's own usage and limits; nothing if there is no limit or it can't be read. */
export function OwnUse() {
  const { data } = useOwnQuota()
  const limited = data ? kinds.filter((kind) => data.limits[kind] !== null) : []
  if (!data || limited.length === 0) return null
  const isDaily = limited.some((kind) => kind === "answers" || kind === "tokens")
  const description = isDaily
    ? { description: t("quotas:mineDescription", { time: formatTime(data.resetsAt) }) }
    : {}
  return (
    <SettingsGroup title={t("quotas:mine")} {...description}>
      <ul aria-label={t("quotas:mine")} className="divide-y divide-line rounded-lg border border-line">
        {limited.map((kind) => {
          const [name, used, most] = [t(`quotas:name.${kind}`), data.use[kind], data.limits[kind] ?? 0]
          return (
            <li key={kind} className="px-3 py-2.5 text-sm">
              <p className="mb-1.5 flex justify-between gap-4">
                <span className="text-soft">{name}</span>
                <span>
                  {t("quotas:of", { used: formatAmount(kind, used), most: formatAmount(kind, most) })}
                </span>
              </p>
              <ProgressBar label={name} percent={most === 0 ? 100 : (used / most) * 100} />
            </li>
          )
        })}
      </ul>
    </SettingsGroup>
  )
}
