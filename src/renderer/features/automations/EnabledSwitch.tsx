import { t } from "i18next"
import { useMutation } from "@tanstack/react-query"
import type { Automation } from "../../../shared/contract/automations.ts"
import { switchAutomations } from "../../data/automations.ts"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { showFailure } from "./run-now.ts"

/** Enables or disables an automation. */
export function EnabledSwitch({ automation: { id, name, enabled } }: { automation: Automation }) {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (on: boolean) => switchAutomations([id], on),
    onError: showFailure,
  })
  return (
    <Switch
      aria-label={t("automations:enabled", { name })}
      title={t(enabled ? "automations:on" : "automations:off")}
      checked={isPending ? variables : enabled}
      onCheckedChange={(on) => mutate(on)}
    />
  )
}
