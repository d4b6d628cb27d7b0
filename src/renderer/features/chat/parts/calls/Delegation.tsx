import { t } from "i18next"
import { LongText } from "../../../../ui/text/LongText.tsx"
import { LazyMarkdown } from "../../../../ui/markdown/LazyMarkdown.tsx"
import { getFailure, type CallStep } from "../arrange-parts.ts"
import { visibleText } from "../../../../lib/words/visible-text.ts"

interface DelegationProps {
  handle: string
  task: string
  answer: string | undefined
  documents: string[]
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

/** Returns the task that a call delegated to another assistant, and its answer. Undefined for calls of other tools. */
export function getDelegation(step: CallStep): DelegationProps | undefined {
  const { call, result } = step
  if (call.toolName !== "assistant" || typeof call.args !== "object" || call.args === null) return undefined
  const { handle, task } = call.args as Record<string, unknown>
  if (typeof handle !== "string" || typeof task !== "string") return undefined
  if (getFailure(step) !== undefined) return { handle, task, answer: undefined, documents: [] }
  const value = result?.result
  if (typeof value !== "object" || value === null) {
    return { handle, task, answer: typeof value === "string" ? value : undefined, documents: [] }
  }
  const { answer, documents } = value as Record<string, unknown>
  return {
    handle,
    task,
    answer: typeof answer === "string" ? answer : undefined,
    documents: strings(documents),
  }
}

/** The task delegated to another assistant, and its answer. */
export function Delegation({ handle, task, answer, documents }: DelegationProps) {
  return (
    <section aria-label={t("tools:delegation")} className="rounded-lg border border-line p-3">
      <p className="text-xs text-faint">
        {t("tools:task", { handle: visibleText(handle.replace(/^@/, "")) })}
      </p>
      <p className="mt-1 max-h-40 overflow-y-auto break-words whitespace-pre-wrap text-ink">
        <LongText text={visibleText(task)} />
      </p>
      {answer !== undefined && (
        <>
          <p className="mt-3 text-xs text-faint">{t("tools:itsAnswer")}</p>
          <div className="mt-1 max-h-96 overflow-y-auto text-ink">
            <LazyMarkdown text={answer} />
          </div>
        </>
      )}
      {documents.length > 0 && (
        <p className="mt-2 text-xs break-words text-faint">
          {t("tools:itsDocuments", { names: documents.map(visibleText).join(", ") })}
        </p>
      )}
    </section>
  )
}
