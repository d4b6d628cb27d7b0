import { t } from "i18next"
import { IntegrationGroup } from "./IntegrationGroup.tsx"

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
