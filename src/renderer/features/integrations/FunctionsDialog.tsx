import { t } from "i18next"
import type { IntegrationTool, Integration } from "../../../shared/contract/integrations.ts"
import { useMark, useIntegration } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { showError } from "../../lib/toasts.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { classNames } from "../../ui/class-names.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { Dialog } from "../../ui/layers/Dialog.tsx"
import { ChangeReview } from "./ChangeReview.tsx"

interface FunctionRowProps {
  integrationKey: string
  tool: IntegrationTool
}

/** One tool: whether it is offered to models, and whether it is read-only. Its description is untrusted text. */
function FunctionRow({ integrationKey, tool }: FunctionRowProps) {
  const mark = useMark(integrationKey)
  const { name, description } = tool
  const { effect, enabled } = { ...tool, ...(mark.isPending ? mark.variables : {}) }
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
          mark.mutate(
            { name, effect: event.target.value === "read" ? "read" : "write" },
            { onError: showError },
          )
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
          onCheckedChange={(checked) => mark.mutate({ name, enabled: checked }, { onError: showError })}
        />
      </span>
    </li>
  )
}

interface FunctionListProps {
  integrationKey: string
  tools: IntegrationTool[]
}

/** The available tools, and how many of them are offered to models. Each one takes up space in the context window. */
function FunctionList({ integrationKey, tools }: FunctionListProps) {
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
          onClick={() => mark.mutate({ enabled: on === 0 }, { onError: showError })}
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

interface FunctionsDialogProps {
  integrationKey: string
  onClose: () => void
}

/** An integration's tools: first those that wait for approval, then those in use. */
export function FunctionsDialog({ integrationKey, onClose }: FunctionsDialogProps) {
  const { data, error } = useIntegration(integrationKey)
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("integrations:functions.title", { name: data?.name ?? "" })}
      description={t("integrations:functions.description")}
    >
      {error && <Note kind="error">{describeError(error)}</Note>}
      {!data && !error && <Spinner label={t("common:loading")} />}
      {data && <Functions integration={data} />}
    </Dialog>
  )
}

function Functions({ integration }: { integration: Integration }) {
  const { key, tools, changes, refused } = integration
  return (
    <div className="flex flex-col gap-5">
      {changes.length > 0 && <ChangeReview integrationKey={key} changes={changes} />}
      {tools.length === 0 && <p className="text-sm text-soft">{t("integrations:functions.none")}</p>}
      {tools.length > 0 && <FunctionList integrationKey={key} tools={tools} />}
      {refused.length > 0 && (
        <details className="text-sm">
          <summary className="cursor-pointer text-soft">
            {t("integrations:functions.refused", { count: refused.length })}
          </summary>
          <ul className="mt-2 flex flex-col gap-1 text-xs text-faint">
            {refused.map(({ name, reason, sentence }) => (
              <li key={`${name} ${reason}`} className="break-words">
                <code className="font-mono">{name}</code>: {toPageLanguage(reason, sentence)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
