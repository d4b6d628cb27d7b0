import { t } from "i18next"
import type { Usage } from "../../../../shared/contract/chat.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { formatDuration } from "./format-duration.ts"

/** The model that wrote an answer, and its speed. */
export function UsageFacts({ model, usage }: { model: string | undefined; usage: Usage }) {
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
