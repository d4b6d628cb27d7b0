import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { RefreshCw } from "lucide-react"
import { useRef } from "react"
import type { ApiKey, KeyCall } from "../../../shared/contract/accounts.ts"
import { box, describeError } from "../../lib/box.ts"
import { formatCount, formatFullMoment } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { useVirtualRows } from "../../ui/scrolling.ts"
import { formatWhen } from "./format-when.ts"

interface KeyCallsDialogProps {
  apiKey: Pick<ApiKey, "id" | "name">
  onClose: () => void
}

/** Calls made with a key, newest first, as far back as the box keeps them. */
export function KeyCallsDialog({ apiKey: { id, name }, onClose }: KeyCallsDialogProps) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["key-calls", id],
    queryFn: async ({ signal }) => (await box.keys.calls({ params: { id } }, { signal })).calls,
    staleTime: 0,
  })
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t("settings:keys.callsTitle", { name })}
      description={t("settings:keys.callsDescription")}
    >
      <div className="mb-3 flex items-center gap-3">
        <output className="min-w-0 flex-1 text-sm text-soft">
          {data && t("settings:keys.callCount", { count: data.length })}
        </output>
        <Button busy={isFetching} onClick={() => void refetch()}>
          {!isFetching && <RefreshCw aria-hidden />} {t("settings:keys.readCalls")}
        </Button>
      </div>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {!data && isFetching && <Spinner label={t("common:loading")} />}
      {data?.length === 0 && (
        <p className="rounded-lg border border-line p-4 text-sm text-soft">{t("settings:keys.noCalls")}</p>
      )}
      {data && data.length > 0 && <Calls calls={data} />}
    </Dialog>
  )
}

const head = "border-b border-line bg-raised px-2 py-1.5 text-xs font-medium text-faint"
const cell = "border-b border-line px-2 py-1.5 align-top"
const number = "text-right tabular-nums"
/** In a narrow window, the address is below the call. */
const wide = "max-sm:hidden"
const rowHeight = 33

/** Renders only the visible rows. */
function Calls({ calls }: { calls: readonly KeyCall[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualRows({ count: calls.length, scroller, estimateSize: () => rowHeight })
  const items = virtual.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <section
      ref={scroller}
      aria-label={t("settings:keys.calls")}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      className="min-h-24 flex-1 overflow-y-auto rounded-lg border border-line [overflow-anchor:none] focus-visible:-outline-offset-2"
    >
      <table
        aria-rowcount={calls.length + 1}
        className="w-full table-fixed border-separate border-spacing-0 text-left text-sm"
      >
        <thead className="sticky top-0">
          <tr aria-rowindex={1}>
            <th className={classNames(head, "w-18 sm:w-32")}>{t("settings:keys.callAt")}</th>
            <th className={head}>{t("settings:keys.call")}</th>
            <th className={classNames(head, number, "w-14")}>{t("settings:keys.callStatus")}</th>
            <th className={classNames(head, number, "w-18 sm:w-20")}>{t("settings:keys.callTook")}</th>
            <th className={classNames(head, wide, "w-32")}>{t("settings:keys.callFrom")}</th>
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index }) => {
            const call = calls[index]
            return (
              call && (
                <tr
                  key={index}
                  ref={virtual.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  className="hover:bg-hover"
                >
                  <Cells call={call} />
                </tr>
              )
            )
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </section>
  )
}

function Cells({ call: { at, method, route, status, ms, ip } }: { call: KeyCall }) {
  return (
    <>
      <td className={classNames(cell, "text-soft tabular-nums")}>
        <time dateTime={at} title={formatFullMoment(at)}>
          {formatWhen(at)}
        </time>
      </td>
      <td className={classNames(cell, "font-mono text-xs leading-5 break-words")}>
        <span className="text-faint">{method}</span> {route}
        {ip !== null && <span className="block text-faint sm:hidden">{ip}</span>}
      </td>
      <td className={classNames(cell, number, chooseColour(status))}>{status}</td>
      <td className={classNames(cell, number, "text-soft")}>
        {t("settings:keys.callMs", { ms: formatCount(Math.round(ms)) })}
      </td>
      <td className={classNames(cell, wide, "font-mono text-xs leading-5 break-all text-soft")}>{ip}</td>
    </>
  )
}

function chooseColour(status: number): string {
  if (status >= 500) return "text-danger"
  return status >= 400 ? "text-warning" : "text-soft"
}
