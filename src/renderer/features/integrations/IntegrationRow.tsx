import { t } from "i18next"
import { Plug } from "lucide-react"
import { useState } from "react"
import type { IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { classNames } from "../../ui/class-names.ts"
import { RowMenu } from "../../ui/layers/Menu.tsx"
import { EditServerDialog } from "./server-form/EditServerDialog.tsx"
import { FunctionsDialog } from "./FunctionsDialog.tsx"
import { IntegrationActions, type IntegrationView } from "./IntegrationActions.tsx"
import { LinkDialog } from "./LinkDialog.tsx"
import { describeState, nextStep } from "./states.ts"

/** One integration: its state, the next step and further actions. */
export function IntegrationRow({ integration }: { integration: IntegrationSummary }) {
  const { key, name, state, problem, sentence } = integration
  const [view, setView] = useState<IntegrationView | null>(null)
  const close = () => setView(null)
  const step = nextStep(integration)
  const isFaulty = problem !== null || state === "signed_out" || state === "changed"
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <Plug
        className={classNames("size-4 shrink-0", state === "linked" ? "text-good" : "text-faint")}
        aria-hidden
      />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm" title={name}>
          {name}
        </p>
        <p
          className={classNames("line-clamp-2 text-xs break-words", isFaulty ? "text-warning" : "text-faint")}
          title={problem === null ? undefined : toPageLanguage(problem, sentence)}
        >
          {describeState(integration)}
        </p>
      </div>
      <Button
        aria-label={t(`integrations:steps.${step}Named`, { name })}
        variant={state === "linked" ? "quiet" : "secondary"}
        onClick={() => setView(step)}
      >
        {t(`integrations:steps.${step}`)}
      </Button>
      <RowMenu
        label={t("integrations:actionsOn", { name })}
        renderMenu={(trigger) => (
          <IntegrationActions integration={integration} trigger={trigger} onOpen={setView} />
        )}
      />
      {view === "link" && <LinkDialog integration={integration} onClose={close} />}
      {view === "setUp" && <EditServerDialog integration={integration} onClose={close} />}
      {(view === "functions" || view === "review") && (
        <FunctionsDialog integrationKey={key} onClose={close} />
      )}
    </li>
  )
}
