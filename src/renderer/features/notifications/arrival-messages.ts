import { t } from "i18next"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { onNotificationChange } from "../../data/notifications.ts"
import { closePopup, showPopup } from "../../lib/browser/os-popups.ts"
import { dismissToasts, showToast, type ToastAction } from "../../lib/toasts.ts"
import { arrivalToasts } from "./announcement.ts"
import { answerQuestion } from "./WaitingQuestions.tsx"
import { setBellOpen } from "./Bell.tsx"
import { needsDecision, openNotification } from "./open-notification.ts"
import { secondLine, getTitle } from "./wording.ts"

const shownMs = { info: 6_000, success: 6_000, error: 15_000 }

/** Id of the notification in the toast, if it shows only one. */
let shownAlone: string | undefined

// Removes the toast and popup of a question or approval that was decided elsewhere.
onNotificationChange((notification) => {
  const { id, question, news } = notification
  const asked = question !== undefined || news?.kind === "approval_wanted"
  if (!asked || needsDecision(notification)) return
  if (id === shownAlone) dismissToasts(arrivalToasts)
  closePopup(id)
})

/**
 * Shows one toast, however many notifications there are. Several are combined under one of them: a pending decision first, then the newest
 * error, then the newest.
 */
export function toast(notifications: Notification[]): void {
  const errors = notifications.filter(({ type }) => type === "error")
  const featured = notifications.findLast(needsDecision) ?? errors.at(-1) ?? notifications.at(-1)
  if (!featured) return
  const kind = featured.type === "error" ? "error" : "info"
  const options = {
    key: arrivalToasts,
    shownMs: featured.question ? shownMs.error : shownMs[featured.type],
    isExternalFault: errors.every(isExternalFailure),
  }
  const isAlone = new Set(notifications.map(({ id }) => id)).size === 1
  shownAlone = isAlone ? featured.id : undefined
  if (!isAlone) {
    showToast(severalTitle(notifications), kind, {
      ...options,
      detail: getTitle(featured),
      onOpen: showAll,
      actions: [{ label: t("notifications:showAll"), run: showAll }],
    })
    return
  }
  const open = () => openWherever(featured)
  const detail = secondLine(featured)
  showToast(getTitle(featured), kind, {
    ...options,
    ...(detail === "" ? {} : { detail }),
    onOpen: open,
    actions: getActions(featured, open),
  })
}

const showAll = () => setBellOpen(true)

/** A question has no page; the bell shows it in full. */
const openWherever = (notification: Notification): void =>
  notification.question ? showAll() : openNotification(notification)

/** Failures caused by the files themselves, not by the program. */
const isExternalFailure = ({ news }: Notification) => news?.kind === "files_failed" && !news.programFaults

/** Buttons of a toast; clicking its text opens the same page. */
function getActions({ chatId, news, question }: Notification, run: () => void): ToastAction[] {
  if (question?.status === "open")
    return question.choices.map((choice) => ({
      label: choice,
      run: () => void answerQuestion(question.id, choice),
    }))
  if (chatId !== null) return [{ label: t("notifications:openChat"), run }]
  return news?.kind === "files_failed" ? [{ label: t("notifications:showFiles"), run }] : []
}

/** Shows one system popup, however many notifications there are. */
export function popUp(notifications: Notification[]): void {
  const [first] = notifications
  if (notifications.length === 1 && first) {
    const { id, question } = first
    const choices = question?.status === "open" ? question.choices : []
    showPopup({ tag: id, title: getTitle(first), body: secondLine(first), actions: choices }, (action) => {
      const choice = action === undefined ? undefined : choices[action]
      if (question && choice !== undefined) void answerQuestion(question.id, choice)
      else openWherever(first)
    })
  } else {
    const body = notifications.map(getTitle).join("\n")
    showPopup({ tag: "several", title: severalTitle(notifications), body, actions: [] }, showAll)
  }
}

const severalTitle = (notifications: Notification[]) =>
  t("notifications:several", { count: new Set(notifications.map(({ id }) => id)).size })
