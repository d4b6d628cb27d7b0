import { t } from "i18next"
import { Bell as BellIcon, BellOff } from "lucide-react"
import { useSyncExternalStore, Suspense } from "react"
import { useActivity } from "../../data/chats/conversations.ts"
import { trimFeeds } from "../../data/notifications.ts"
import { shortcutName } from "../../lib/keys/shortcut.ts"
import { later } from "../../lib/later.ts"
import { useQuietMode } from "../../lib/quiet-mode.ts"
import { dismissToasts } from "../../lib/toasts.ts"
import { Spinner } from "../../ui/Progress.tsx"
import { classNames } from "../../ui/class-names.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Popover } from "../../ui/layers/Popover.tsx"
import type { WaitingList } from "./NotificationList.tsx"
import { arrivalToasts } from "./announcement.ts"
import { useShownUnread } from "./deletions.ts"

let isOpen = false
const openListeners = new Set<() => void>()

/** Opens or closes the bell from anywhere, such as a toast. */
export function setBellOpen(next: boolean): void {
  isOpen = next
  if (isOpen) dismissToasts(arrivalToasts)
  else trimFeeds()
  for (const listener of openListeners) listener()
}

export const toggleBell = (): void => setBellOpen(!isOpen)

const useBellOpen = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      openListeners.add(listener)
      return () => openListeners.delete(listener)
    },
    () => isOpen,
  )

const NotificationPanel = later(async () => (await import("./NotificationPanel.tsx")).NotificationPanel)

const maxShown = 99
const close = () => setBellOpen(false)

/** The bell: the number of unread notifications, or a mark for a waiting tool call, and the list of notifications. */
export function Bell({ Waiting }: { Waiting: WaitingList }) {
  const open = useBellOpen()
  const [quiet] = useQuietMode()
  const unread = useShownUnread()
  const waiting = useActivity().approvals.length

  return (
    <Popover
      open={open}
      onOpenChange={setBellOpen}
      label={t("notifications:title")}
      trigger={
        <IconButton
          label={describeCount(unread, waiting)}
          keys={shortcutName("notifications")}
          className={classNames("relative", unread > maxShown ? "mr-2" : unread > 9 && "mr-1")}
        >
          {quiet ? <BellOff aria-hidden /> : <BellIcon aria-hidden />}
          {/* Waiting tool calls are marked even if their notification was read, snoozed or muted. */}
          {unread === 0 && waiting > 0 && (
            <span aria-hidden className="absolute top-0.5 right-0.5 size-2 rounded-full bg-warning" />
          )}
          {unread > 0 && (
            <span
              aria-hidden
              className="absolute -top-0.5 left-1/2 ml-0.5 flex h-3.5 min-w-3.5 items-center justify-center rounded-full bg-solid px-1 text-[0.625rem] leading-none font-semibold text-on-solid tabular-nums"
            >
              {unread > maxShown ? `${maxShown}+` : unread}
            </span>
          )}
        </IconButton>
      }
      onOpenAutoFocus={(event) => {
        event.preventDefault()
        const panel = event.currentTarget as HTMLElement
        // Waiting tool calls are above the rows and stay in view.
        if (!focusFirstRow(panel, { preventScroll: true })) panel.focus()
      }}
      onKeyDown={({ key, target, currentTarget }) => {
        if (key === "ArrowDown" && target === currentTarget) focusFirstRow(currentTarget)
      }}
      onInteractOutside={(event) => {
        // Undoing a deletion in its toast doesn't count as leaving the list. The toast may already be gone.
        const { target } = event
        if (target instanceof Element && (!target.isConnected || target.closest("[data-toasts]")))
          event.preventDefault()
      }}
      className="flex h-[min(38rem,var(--radix-popover-content-available-height))] w-[min(26rem,calc(100vw-1.5rem))] flex-col overflow-hidden rounded-xl"
    >
      <Suspense
        fallback={
          <div className="m-auto text-faint">
            <Spinner label={t("notifications:reading")} />
          </div>
        }
      >
        <NotificationPanel onLeave={close} Waiting={Waiting} />
      </Suspense>
    </Popover>
  )
}

function describeCount(unread: number, waiting: number): string {
  if (unread > 0) return t("notifications:titleUnread", { count: unread })
  return waiting > 0 ? t("notifications:titleWaiting", { count: waiting }) : t("notifications:title")
}

/** Whether there was a row. The list may still be loading. */
function focusFirstRow(panel: HTMLElement, options?: FocusOptions): boolean {
  const row = panel.querySelector<HTMLElement>("[data-row]")
  row?.focus(options)
  return row !== null
}
