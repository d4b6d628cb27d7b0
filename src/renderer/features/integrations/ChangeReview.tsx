import { t } from "i18next"
import { useCallback, useMemo } from "react"
import type { ToolChange } from "../../../shared/contract/integrations.ts"
import { useApprove } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { classNames } from "../../ui/class-names.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { LongText, takeFirstPieces, useDrawnSoFar } from "../../ui/text/LongText.tsx"

interface DiffLine {
  kind: "same" | "added" | "removed"
  text: string
}

/** Maximum number of comparison steps. Longer texts are shown as fully removed and added. */
const maxSteps = 1_000_000

/** Returns the lines to remove and add that turn one text into the other. The longest common subsequence stays. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const rows = before.length
  const columns = after.length
  if (rows * columns > maxSteps) return [...mark("removed", before), ...mark("added", after)]
  // lengths[i][j]: length of the longest common subsequence of `before` from i and `after` from j.
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1))
  const length = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = rows - 1; i >= 0; i--) {
    const row = lengths[i] ?? new Uint32Array()
    for (let j = columns - 1; j >= 0; j--)
      row[j] =
        before[i] === after[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < rows || j < columns) {
    const [old, fresh] = [before[i], after[j]]
    if (i < rows && old === fresh) {
      lines.push({ kind: "same", text: old ?? "" })
      i++
      j++
    } else if (j >= columns || (i < rows && length(i + 1, j) >= length(i, j + 1))) {
      lines.push({ kind: "removed", text: old ?? "" })
      i++
    } else {
      lines.push({ kind: "added", text: fresh ?? "" })
      j++
    }
  }
  return lines
}

const mark = (kind: DiffLine["kind"], lines: readonly string[]) => lines.map((text) => ({ kind, text }))

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
