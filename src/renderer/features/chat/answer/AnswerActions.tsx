import { t } from "i18next"
import { Check, CircleHelp, Copy, Gauge, RotateCcw } from "lucide-react"
import { Suspense, useState, type ReactNode } from "react"
import type { Usage } from "../../../../shared/contract/chat.ts"
import { copyText } from "../../../lib/browser/clipboard.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { classNames } from "../../../ui/class-names.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { Popover } from "../../../ui/layers/Popover.tsx"

/** Formats a waiting time: "80 ms", "2.4 s". */
export const formatDuration = (milliseconds: number): string =>
  milliseconds < 1000
    ? t("chat:usage.milliseconds", { count: Math.round(milliseconds) })
    : t("chat:usage.seconds", { value: formatCount(Math.round(milliseconds / 100) / 10) })

/** The model that wrote an answer, and its speed. */
function UsageFacts({ model, usage }: { model: string | undefined; usage: Usage }) {
  const { promptTokens, completionTokens, firstTokenMs, tokensPerSecond } = usage
  const rows: [string, string | undefined][] = [
    [t("chat:usage.model"), model],
    [t("chat:usage.speed"), perSecond(tokensPerSecond)],
    [t("chat:usage.firstToken"), firstTokenMs === null ? undefined : formatDuration(firstTokenMs)],
    [t("chat:usage.answer"), t("chat:usage.tokens", { count: completionTokens })],
    [
      t("chat:usage.prompt"),
      promptTokens === 0 ? undefined : t("chat:usage.tokens", { count: promptTokens }),
    ],
  ]
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
        {rows.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name} className="contents">
                <dt className="text-faint">{name}</dt>
                <dd className="min-w-0 text-right break-words tabular-nums">{value}</dd>
              </div>
            ),
        )}
      </dl>
      <p className="mt-2 text-xs text-faint">{t("chat:usage.tokenHint")}</p>
    </>
  )
}

const perSecond = (rate: number | null): string | undefined =>
  rate === null
    ? undefined
    : t("chat:usage.perSecond", { rate: formatCount(Number(rate.toPrecision(rate < 100 ? 2 : 3))) })

interface AnswerActionsProps {
  text: string
  model: string | undefined
  usage: Usage | undefined
  /** Whether the actions are visible without hovering. */
  lasting: boolean
  /** Whether the answer ended with an error, so that asking again helps. */
  failed: boolean
  versions: ReactNode
  /** More actions for the answer's text. */
  more: ReactNode
  onRetry: (() => void) | undefined
  /** Undefined if nothing was searched. */
  onExplain: (() => void) | undefined
}

/** Actions below an answer. For earlier answers, they appear on hover and on keyboard focus. */
export function AnswerActions(props: AnswerActionsProps) {
  const { text, model, usage, lasting, failed, versions, more, onRetry, onExplain } = props
  const [copied, setCopied] = useState(false)
  const [showingUsage, setShowingUsage] = useState(false)
  async function copy() {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <div className="-ml-1.5 flex items-center gap-0.5">
      {versions}
      {failed && onRetry && (
        <Button onClick={onRetry} className="mr-1 ml-1.5">
          <RotateCcw aria-hidden /> {t("chat:answerAgain")}
        </Button>
      )}
      <div
        className={classNames(
          "flex gap-0.5 transition-opacity group-focus-within/answer:opacity-100 group-hover/answer:opacity-100 has-data-[state=open]:opacity-100",
          !lasting && "opacity-0 no-hover:opacity-100",
        )}
      >
        {text !== "" && (
          <IconButton label={copied ? t("chat:copied") : t("chat:copyAnswer")} onClick={() => void copy()}>
            {copied ? <Check className="text-good" aria-hidden /> : <Copy aria-hidden />}
          </IconButton>
        )}
        {text !== "" && <Suspense>{more}</Suspense>}
        {onRetry && !failed && (
          <IconButton label={t("chat:answerAgain")} onClick={onRetry}>
            <RotateCcw aria-hidden />
          </IconButton>
        )}
        {onExplain && (
          <IconButton label={t("chat:why.open")} onClick={onExplain}>
            <CircleHelp aria-hidden />
          </IconButton>
        )}
        {usage && usage.completionTokens > 0 && (
          <Popover
            open={showingUsage}
            onOpenChange={setShowingUsage}
            label={t("chat:usage.open")}
            className="w-64 rounded-lg p-3"
            trigger={
              <IconButton label={t("chat:usage.open")}>
                <Gauge aria-hidden />
              </IconButton>
            }
          >
            <UsageFacts model={model} usage={usage} />
          </Popover>
        )}
      </div>
    </div>
  )
}
