import { t } from "i18next"
import { useCallback, useMemo } from "react"
import type { ToolChange } from "../../../shared/contract/integrations.ts"
import { useApprove } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { classNames } from "../../ui/class-names.ts"
import { LongText, takeFirstPieces, useDrawnSoFar } from "../../ui/text/LongText.tsx"
import { Note } from "../../ui/Note.tsx"
import { diffLines, type DiffLine } from "./diff-lines.ts"

interface ChangeReviewProps {
  integrationKey: string
  changes: ToolChange[]
}

/** Tools that stay off until the user has reviewed their changes. */
export function ChangeReview({ integrationKey, changes }: ChangeReviewProps) {
  const approve = useApprove(integrationKey)
  const drawn = useDrawnSoFar(
    changes.length * perChange,
    useCallback((cost: number) => takeFirstPieces(changes, () => perChange, cost), [changes]),
  )
  const isBusy = (hash: string) => approve.isPending && approve.variables.includes(hash)
  return (
    <section aria-label={t("integrations:changes.title")} className="flex flex-col gap-3">
      <div tabIndex={-1} data-focus-first className="focus-visible:outline-none">
        <Note
          kind="warning"
          action={
            changes.length > 1 && (
              <Button
                busy={approve.isPending}
                onClick={() => approve.mutate(changes.map(({ hash }) => hash))}
              >
                {t("integrations:changes.approveAll")}
              </Button>
            )
          }
        >
          {t("integrations:changes.description")}
        </Note>
      </div>
      {approve.error && <Note kind="error">{describeError(approve.error)}</Note>}
      <ul className="flex flex-col gap-3">
        {drawn.map((change) => (
          <li key={change.hash} className="rounded-lg border border-line p-3">
            <div className="mb-2 flex items-center gap-2">
              <code className="min-w-0 flex-1 truncate font-mono text-xs" title={change.name}>
                {change.name}
              </code>
              <span className="text-xs text-faint">{t(`integrations:changes.kinds.${change.kind}`)}</span>
              <Button
                aria-label={t("integrations:changes.approveNamed", { name: change.name })}
                busy={isBusy(change.hash)}
                onClick={() => approve.mutate([change.hash])}
              >
                {t("integrations:changes.approve")}
              </Button>
            </div>
            <Difference change={change} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Difference({ change: { before, after } }: { change: ToolChange }) {
  const lines = useMemo(
    () => diffLines(before === null ? [] : formatLines(before), formatLines(after)),
    [before, after],
  )
  const drawn = useDrawnSoFar(
    lines.length * perLine,
    useCallback((cost: number) => takeFirstPieces(lines, estimateCost, cost), [lines]),
  )
  return (
    <section
      aria-label={t("integrations:changes.difference")}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, by keyboard too
      tabIndex={0}
      className="max-h-60 overflow-y-auto rounded-md bg-well p-2 font-mono text-xs"
    >
      {drawn.map(({ kind, text }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines are known by their place
        <p key={index} className={classNames("flex gap-2 px-1", tints[kind])}>
          <span aria-hidden className="select-none">
            {signs[kind]}
          </span>
          <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">
            {kind !== "same" && <span className="sr-only">{t(`integrations:changes.lines.${kind}`)} </span>}
            <LongText text={text} />
          </span>
        </p>
      ))}
    </section>
  )
}

/** The rendering cost of a change and of one line, in characters of plain text. */
const perChange = 3000
const perLine = 300
const estimateCost = ({ text }: DiffLine): number => perLine + text.length

const tints = { same: "text-soft", added: "text-good", removed: "text-danger" }
const signs = { same: " ", added: "+", removed: "−" }

const formatLines = ({ description, parameters }: ToolChange["after"]): string[] => [
  ...description.split("\n"),
  ...JSON.stringify(parameters, null, 2).split("\n"),
]
