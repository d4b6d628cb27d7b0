import { t } from "i18next"
import { FileInput, Plus } from "lucide-react"
import { useState } from "react"
import type { IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { useIntegrations } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/SettingsGroup.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ImportDialog } from "./ImportDialog.tsx"
import { IntegrationRow } from "./IntegrationRow.tsx"
import { AddServerDialog } from "./AddServerDialog.tsx"

/** Connections to other programs' functions: the user's own servers, and the providers that the box knows. */
export function IntegrationsSection() {
  const { data: integrations, error } = useIntegrations()
  const [open, setOpen] = useState<"add" | "import" | null>(null)
  const close = () => setOpen(null)
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!integrations) return <Spinner label={t("integrations:loading")} />
  const servers = integrations.filter(({ group }) => group === "mcp")
  return (
    <>
      <SettingsGroup
        title={t("integrations:servers.title")}
        description={t("integrations:servers.description")}
      >
        {servers.length === 0 ? (
          <p className="rounded-lg border border-line p-4 text-sm text-soft">
            {t("integrations:servers.none")}
          </p>
        ) : (
          <List label={t("integrations:servers.title")} entries={servers} />
        )}
        <div className="mt-3 flex flex-wrap gap-2">
          <Button onClick={() => setOpen("add")}>
            <Plus aria-hidden /> {t("integrations:servers.add")}
          </Button>
          <Button variant="quiet" onClick={() => setOpen("import")}>
            <FileInput aria-hidden /> {t("integrations:servers.import")}
          </Button>
        </div>
      </SettingsGroup>
      <SettingsGroup
        title={t("integrations:providers.title")}
        description={t("integrations:providers.description")}
      >
        <List
          label={t("integrations:providers.title")}
          entries={integrations.filter(({ group }) => group === "integration")}
        />
      </SettingsGroup>
      {open === "add" && <AddServerDialog onClose={close} />}
      {open === "import" && <ImportDialog onClose={close} />}
    </>
  )
}

function List({ label, entries }: { label: string; entries: IntegrationSummary[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line">
      {entries.map((integration) => (
        <IntegrationRow key={integration.key} integration={integration} />
      ))}
    </ul>
  )
}
