import { t } from "i18next"
import { FileInput, Plus } from "lucide-react"
import { useState } from "react"
import { Button } from "../../ui/controls/Button.tsx"
import { IntegrationGroup } from "./IntegrationGroup.tsx"
import { ImportDialog } from "./server-form/ImportDialog.tsx"
import { AddServerDialog } from "./server-form/ServerDialogs.tsx"

/** Accounts at the services that the box supports. */
export function AccountsSection() {
  return (
    <IntegrationGroup
      group="integration"
      title={t("integrations:accounts.title")}
      description={t("integrations:accounts.description")}
    />
  )
}

/** The user's own MCP servers. */
export function ToolServersSection() {
  const [open, setOpen] = useState<"add" | "import" | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <IntegrationGroup
        group="mcp"
        title={t("integrations:servers.title")}
        description={t("integrations:servers.description")}
        none={t("integrations:servers.none")}
      >
        <div className="mt-3 flex flex-wrap gap-2">
          <Button onClick={() => setOpen("add")}>
            <Plus aria-hidden /> {t("integrations:servers.add")}
          </Button>
          <Button variant="quiet" onClick={() => setOpen("import")}>
            <FileInput aria-hidden /> {t("integrations:servers.import")}
          </Button>
        </div>
      </IntegrationGroup>
      {open === "add" && <AddServerDialog onClose={close} />}
      {open === "import" && <ImportDialog onClose={close} />}
    </>
  )
}
