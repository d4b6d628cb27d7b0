import { t } from "i18next"
import type { Automation } from "../../../shared/contract/automations.ts"
import { RowMenu } from "../../ui/layers/Menu.tsx"
import { AutomationActions } from "./AutomationActions.tsx"

/** The actions menu of an automation. */
export function AutomationMenu({ automation }: { automation: Automation }) {
  return (
    <RowMenu
      label={t("automations:actions", { name: automation.name })}
      renderMenu={(trigger) => <AutomationActions automation={automation} trigger={trigger} />}
    />
  )
}
