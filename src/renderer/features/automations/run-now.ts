import { t } from "i18next"
import type { Automation } from "../../../shared/contract/automations.ts"
import { runAutomation } from "../../data/automations.ts"
import { describeError } from "../../lib/box.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { showToast } from "../../lib/toasts.ts"

export const showFailure = (error: unknown): void => showToast(describeError(error), "error")

/** Runs an automation now, and shows where to follow the run. */
export function runNow({ id, name }: Automation): void {
  runAutomation(id)
    .then(() =>
      showToast(t("automations:begun"), "info", {
        detail: name,
        onOpen: () => navigate(workRoutes.one(id)),
      }),
    )
    .catch(showFailure)
}
