import { t } from "i18next"
import type { IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"

/** Describes an integration's state in one line. */
export function describeState(integration: IntegrationSummary): string {
  const { state, problem, sentence, toolCount, changeCount } = integration
  if (state === "signed_out") return t("integrations:states.signedOut")
  if (state === "changed") return t("integrations:states.changed", { count: changeCount })
  if (problem !== null) return toPageLanguage(problem, sentence)
  if (state === "linked") return t("integrations:states.linked", { count: toolCount })
  if (state === "needs_address") return t("integrations:setup.address")
  return isSetUp(integration) ? describeTarget(integration) : t(`integrations:setup.${integration.setup}`)
}

/** Returns the step that the row's button opens. */
export function nextStep(integration: IntegrationSummary): "setUp" | "link" | "review" | "functions" {
  const { state } = integration
  if (state === "changed") return "review"
  if (state === "linked") return "functions"
  return state === "signed_out" || isSetUp(integration) ? "link" : "setUp"
}

/** Whether it has everything it needs apart from a sign-in. */
function isSetUp({ setup, target, clientId, hasToken, environment }: IntegrationSummary): boolean {
  if (target === null) return false
  if (setup === "client") return clientId !== null
  if (setup === "token") return hasToken || clientId !== null
  return setup !== "environment" || environment.length > 0
}

const describeTarget = ({ target }: IntegrationSummary): string => {
  if (target === null) return ""
  return target.kind === "http" ? new URL(target.url).host : [target.command, ...target.args].join(" ")
}
