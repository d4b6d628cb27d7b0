import { Bell as BellIcon, BellOff } from "lucide-react"
import { Popover } from "radix-ui"
import { trimFeeds, useUnreadCount } from "../../data/notifications.ts"
import { useQuietMode } from "../../lib/quiet-mode.ts"
import { IconButton } from "../../ui/IconButton.tsx"
import { dismissToasts } from "../../ui/toasts.ts"
import { arrivalToasts } from "./announcement.ts"
import { setBellOpen, useBellOpen } from "./bell-state.ts"
import { useLeaving } from "./deletions.ts"
import { NotificationPanel } from "./NotificationPanel.tsx"

const mostShown = 99

/** The bell: how many notifications are unread, and the list of all. */
export function Bell() {
  const open = useBellOpen()
  const [quiet] = useQuietMode()
  const leaving = useLeaving()
  const unreadLeaving = [...leaving.values()].filter(({ read }) => !read).length
  const unread = Math.max(0, (useUnreadCount() ?? 0) - unreadLeaving)
  const state = unread === 0 ? "" : `, ${unread} unread`

  function onOpenChange(next: boolean) {
    setBellOpen(next)
    if (next) dismissToasts(arrivalToasts)
    else trimFeeds()
  }

  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger asChild>
        <IconButton label={`Notifications${state}`} className="relative">
          {quiet ? <BellOff aria-hidden /> : <BellIcon aria-hidden />}
          {unread > 0 && (
            <span
              aria-hidden
              className="absolute -top-0.5 left-1/2 ml-0.5 flex h-3.5 min-w-3.5 items-center justify-center rounded-full bg-solid px-1 text-[0.625rem] leading-none font-semibold text-on-solid tabular-nums"
            >
              {unread > mostShown ? `${mostShown}+` : unread}
            </span>
          )}
        </IconButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label="Notifications"
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            const panel = event.currentTarget as HTMLElement
            if (!focusFirstRow(panel)) panel.focus()
          }}
          onKeyDown={({ key, target, currentTarget }) => {
            if (key === "ArrowDown" && target === currentTarget) focusFirstRow(currentTarget)
          }}
          onInteractOutside={(event) => {
            // Undoing a deletion in its toast isn't leaving the list; the toast may be gone by now.
            const { target } = event
            if (target instanceof Element && (!target.isConnected || target.closest("[data-toasts]")))
              event.preventDefault()
          }}
          className="z-40 flex outline-none h-[min(38rem,var(--radix-popover-content-available-height))] w-[min(26rem,calc(100vw-1.5rem))] animate-appear flex-col overflow-hidden rounded-xl bg-raised shadow-float"
        >
          <NotificationPanel onLeave={() => onOpenChange(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Whether there was a row: the list may still be on its way. */
function focusFirstRow(panel: HTMLElement): boolean {
  const row = panel.querySelector<HTMLElement>("[data-row]")
  row?.focus()
  return row !== null
}
