import { t } from "i18next"
import type { ReactNode } from "react"
import type { IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { useIntegrations } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { IntegrationRow } from "./IntegrationRow.tsx"

interface IntegrationGroupProps {
  group: IntegrationSummary["group"]
  title: string
  description: string
  /** Shown if the list is empty. */
  none?: string
  children?: ReactNode
}

/** Connections of one kind to other programs' tools. */
export function IntegrationGroup({ group, title, description, none, children }: IntegrationGroupProps) {
  const { data: integrations, error } = useIntegrations()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!integrations) return <Spinner label={t("integrations:loading")} />
  const entries = integrations.filter((integration) => integration.group === group)
  return (
    <SettingsGroup title={title} description={description}>
      {entries.length === 0 && none !== undefined ? (
        <p className="rounded-lg border border-line p-4 text-sm text-soft">{none}</p>
      ) : (
        <ul aria-label={title} className="divide-y divide-line rounded-lg border border-line">
          {entries.map((integration) => (
            <IntegrationRow key={integration.key} integration={integration} />
          ))}
        </ul>
      )}
      {children}
    </SettingsGroup>
  )
}
