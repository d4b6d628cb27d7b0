import { t } from "i18next"
import { useState } from "react"
import type { Limits, Quotas, Use } from "../../../../shared/contract/quotas.ts"
import { describeError } from "../../../lib/box.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Note } from "../../../ui/Note.tsx"
import { LimitsDialog } from "./LimitsDialog.tsx"
import { formatAmount, kinds, useQuotas, type Whose } from "./quotas.ts"

/** Limits for users' storage and questions, and their usage. */
export function QuotasGroup() {
  const { data: quotas, error } = useQuotas()
  const [changed, setChanged] = useState<Whose | null>(null)
  return (
    <SettingsGroup title={t("quotas:title")} description={t("quotas:description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {quotas && (
        <ul aria-label={t("quotas:title")} className="divide-y divide-line rounded-lg border border-line">
          {getRows(quotas).map(({ whose, name, lines }) => (
            <li
              key={whose.of === "everybody" ? "" : whose.id}
              className="flex items-center gap-3 px-3 py-2.5 text-sm"
            >
              <div className="min-w-0 flex-1">
                <p className="truncate" title={name}>
                  {name}
                </p>
                {whose.of === "workspace" && <p className="text-xs text-faint">{t("quotas:workspace")}</p>}
                <p className="text-xs text-soft">
                  {lines.length === 0 ? t("quotas:none") : lines.join(" · ")}
                </p>
              </div>
              <Button aria-label={t("quotas:changeOf", { name })} onClick={() => setChanged(whose)}>
                {t("quotas:change")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {changed && quotas && (
        <LimitsDialog whose={changed} resetsAt={quotas.resetsAt} onClose={() => setChanged(null)} />
      )}
    </SettingsGroup>
  )
}

interface Row {
  whose: Whose
  name: string
  lines: string[]
}

/** Users are listed only if a limit applies to any of them. */
function getRows({ default: everybody, people, workspaces }: Quotas): Row[] {
  const rows: Row[] = [
    {
      whose: { of: "everybody", limits: everybody },
      name: t("quotas:everybody"),
      lines: kinds.flatMap((kind) => {
        const most = everybody[kind]
        return most === null
          ? []
          : `${t(kind === "bytes" ? "quotas:name.bytes" : `quotas:kind.${kind}`)}: ${formatAmount(kind, most)}`
      }),
    },
  ]
  for (const { id, name, limits, use } of workspaces)
    rows.push({ whose: { of: "workspace", id, name, limits }, name, lines: formatLines(limits, use) })
  const isAny = (limits: object) => Object.values(limits).some((most) => most !== null)
  const areLimited = isAny(everybody) || people.some(({ limits }) => isAny(limits))
  for (const { id, name, limits, use } of areLimited ? people : []) {
    const held = { ...everybody }
    for (const kind of kinds) {
      const own = limits[kind]
      if (own !== null) held[kind] = own === "unlimited" ? null : own
    }
    rows.push({ whose: { of: "person", id, name, limits, everybody }, name, lines: formatLines(held, use) })
  }
  return rows
}

const formatLines = (limits: Limits, use: Use): string[] =>
  kinds.flatMap((kind) => {
    const most = limits[kind]
    if (most === null) return []
    const said = t("quotas:of", { used: formatAmount(kind, use[kind]), most: formatAmount(kind, most) })
    return `${t(`quotas:name.${kind}`)}: ${said}`
  })
