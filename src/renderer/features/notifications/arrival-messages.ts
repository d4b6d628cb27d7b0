import { t } from "i18next"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { showPopup } from "../../lib/browser/os-popups.ts"
import { showToast, type ToastAction } from "../../lib/toasts.ts"
import { arrivalToasts } from "./announcement.ts"
import { setBellOpen } from "./bell-state.ts"
import { needsDecision, openNotification } from "./open-notification.ts"
import { secondLine, titleOf } from "./wording.ts"

const shownMs = { info: 6_000, success: 6_000, error: 15_000 }

/** One toast, whatever the number: several collapse into one that names the newest, an error before others, and what waits for its person above all. */
export function toast(notifications: Notification[]): void {
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

/** One popup of the system, whatever the number. */
export function popUp(notifications: Notification[]): void {
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
