import { t } from "i18next"
import type { IntegrationTool } from "../../../shared/contract/integrations.ts"
import { useMark } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { showToast } from "../../lib/toasts.ts"
import { FunctionRow } from "./FunctionRow.tsx"

interface FunctionListProps {
  integrationKey: string
  tools: IntegrationTool[]
}

/** The available tools, and how many of them are offered to models. Each one takes up space in the context window. */
export function FunctionList({ integrationKey, tools }: FunctionListProps) {
  const mark = useMark(integrationKey)
  const on = tools.filter(({ enabled }) => enabled).length
  return (
    <section className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <p className="flex-1 text-sm text-soft tabular-nums">
          {t("integrations:functions.on", { count: tools.length, on })}
        </p>
        <Button
          variant="quiet"
          busy={mark.isPending}
          onClick={() =>
            mark.mutate(
              { enabled: on === 0 },
              { onError: (error) => showToast(describeError(error), "error") },
            )
          }
        >
          {t(on === 0 ? "integrations:functions.allOn" : "integrations:functions.allOff")}
        </Button>
      </div>
      <ul
        aria-label={t("integrations:functions.inUse")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {tools.map((tool) => (
          <FunctionRow key={tool.name} integrationKey={integrationKey} tool={tool} />
        ))}
      </ul>
    </section>
  )
}
