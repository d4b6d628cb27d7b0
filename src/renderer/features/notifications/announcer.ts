import { t } from "i18next"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { markRead, onNotificationArrival } from "../../data/notifications.ts"
import { splitHash } from "../../lib/places/hash-location.ts"
import { showPopup } from "../../lib/browser/os-popups.ts"
import { isQuiet } from "../../lib/quiet-mode.ts"
import { showToast, toastStore, type ToastAction } from "../../lib/toasts.ts"
import { announce, arrivalToasts } from "./announcement.ts"
import { setBellOpen } from "./bell-state.ts"
import { needsDecision, openNotification, sayFailure } from "./open-notification.ts"
import { secondLine, titleOf } from "./wording.ts"

/** What arrives within this time is announced together. */
const gatherMs = 250
const shownMs = { info: 6_000, success: 6_000, error: 15_000 }

/** Announces what arrives, by toasts and popups of the system, until the returned function is called. */
export function startAnnouncing(): () => void {
  let gathered: Notification[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** What the toast on screen stands for. */
  let toasted: Notification[] = []

  function announceGathered(): void {
    timer = undefined
    const { path } = splitHash(window.location.hash)
    const situation = { quiet: isQuiet(), focused: document.hasFocus(), path }
    const { toasts, popups, lookedAt } = announce(gathered, situation)
    gathered = []
    for (const notification of lookedAt)
      if (!notification.read && !needsDecision(notification)) markRead(notification, true).catch(sayFailure)
    if (toasts.length > 0) {
      const onScreen = toastStore.get().some(({ key }) => key === arrivalToasts)
      toasted = onScreen ? [...toasted, ...toasts] : toasts
      toast(toasted)
    }
    if (popups.length > 0) popUp(popups)
  }

  const stop = onNotificationArrival((notification) => {
    // A later sending of the same row takes the earlier one's place.
    gathered = [...gathered.filter(({ id }) => id !== notification.id), notification]
    timer ??= setTimeout(announceGathered, gatherMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

/** One toast, whatever the number: several collapse into one that names the newest, an error before others, and what waits for its person above all. */
function toast(notifications: Notification[]): void {
  const errors = notifications.filter(({ type }) => type === "error")
  const told = notifications.findLast(needsDecision) ?? errors.at(-1) ?? notifications.at(-1)
  if (!told) return
  const kind = told.type === "error" ? "error" : "info"
  const options = {
    key: arrivalToasts,
    shownMs: shownMs[told.type],
    faultElsewhere: errors.every(isFaultElsewhere),
  }
  if (new Set(notifications.map(({ id }) => id)).size > 1) {
    const showAll = () => setBellOpen(true)
    showToast(severalTitle(notifications), kind, {
      ...options,
      detail: titleOf(told),
      onOpen: showAll,
      actions: [{ label: t("notifications:showAll"), run: showAll }],
    })
    return
  }
  const open = () => openNotification(told)
  const detail = secondLine(told)
  showToast(titleOf(told), kind, {
    ...options,
    ...(detail === "" ? {} : { detail }),
    onOpen: open,
    actions: actionsOf(told, open),
  })
}

/** Files that can't be read for what they are. */
const isFaultElsewhere = ({ news }: Notification) => news?.kind === "files_failed" && !news.programFaults

/** What a toast offers besides its text, which does the same. */
function actionsOf({ chatId, news }: Notification, run: () => void): ToastAction[] {
  if (chatId !== null) return [{ label: t("notifications:openChat"), run }]
  return news?.kind === "files_failed" ? [{ label: t("notifications:showFiles"), run }] : []
}

function popUp(notifications: Notification[]): void {
  const [first] = notifications
  if (notifications.length === 1 && first) {
    showPopup({ tag: first.id, title: titleOf(first), body: secondLine(first) }, () =>
      openNotification(first),
    )
  } else {
    const body = notifications.map(titleOf).join("\n")
    showPopup({ tag: "several", title: severalTitle(notifications), body }, () => setBellOpen(true))
  }
}

const severalTitle = (notifications: Notification[]) =>
  t("notifications:several", { count: new Set(notifications.map(({ id }) => id)).size })
