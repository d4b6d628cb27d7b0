import { t } from "i18next"
import type { IntegrationTool } from "../../../shared/contract/integrations.ts"
import { useMark } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { classNames } from "../../ui/class-names.ts"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { showToast } from "../../lib/toasts.ts"

interface FunctionRowProps {
  integrationKey: string
  tool: IntegrationTool
}

/** One tool: whether it is offered to models, and whether it is read-only. Its description is untrusted text. */
export function FunctionRow({ integrationKey, tool }: FunctionRowProps) {
  const mark = useMark(integrationKey)
  const { name, description } = tool
  const { effect, enabled } = { ...tool, ...(mark.isPending ? mark.variables : {}) }
  const showFailure = { onError: (error: unknown) => showToast(describeError(error), "error") }
  return (
    <li className="flex items-start gap-3 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p
          className={classNames("truncate font-mono text-xs", !enabled && "text-faint line-through")}
          title={name}
        >
          {name}
        </p>
        <p className="mt-0.5 line-clamp-3 text-xs break-words text-faint" title={description}>
          {description}
        </p>
      </div>
      <select
        aria-label={t("integrations:functions.effectOf", { name })}
        value={effect}
        disabled={!enabled}
        onChange={(event) =>
          mark.mutate({ name, effect: event.target.value === "read" ? "read" : "write" }, showFailure)
        }
        className="h-8 shrink-0 rounded-md border border-line-strong bg-field px-2 text-xs hover:border-faint disabled:opacity-50"
      >
        <option value="write">{t("integrations:functions.effects.write")}</option>
        <option value="read">{t("integrations:functions.effects.read")}</option>
      </select>
      <span className="flex h-8 items-center">
        <Switch
          aria-label={t("integrations:functions.offered", { name })}
          checked={enabled}
          onCheckedChange={(checked) => mark.mutate({ name, enabled: checked }, showFailure)}
        />
      </span>
    </li>
  )
}
