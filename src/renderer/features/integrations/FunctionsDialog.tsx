import { t } from "i18next"
import type { Integration } from "../../../shared/contract/integrations.ts"
import { useIntegration } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Dialog } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { ChangeReview } from "./ChangeReview.tsx"
import { FunctionList } from "./FunctionList.tsx"

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
