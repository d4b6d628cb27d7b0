import { t } from "i18next"
import { Bell, BellOff, Clock, Mail, MailOpen, Trash2 } from "lucide-react"
import { useState, memo, type KeyboardEvent, type ReactNode } from "react"
import { categories, type Notification } from "../../../shared/contract/notifications.ts"
import { getRoute } from "../../../shared/presentation.ts"
import { snooze, markRead } from "../../data/notifications.ts"
import { useChangeSettings, useSettings } from "../../data/settings.ts"
import { inAnHour, thisEvening, tomorrowMorning } from "../../lib/moments.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { formatFullMoment, formatMoment, formatTime } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"
import { Menu, MenuItem, type MenuTrigger, RowMenu } from "../../ui/layers/Menu.tsx"
import { readableOn } from "../../ui/pictures/AssistantAvatar.tsx"
import { BoxPicture } from "../../ui/pictures/BoxPicture.tsx"
import { NamedIcon } from "../../ui/pictures/NamedIcon.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { getOutcome, QuestionChoices } from "./WaitingQuestions.tsx"
import { notificationDeletions } from "./deletions.ts"
import { openNotification } from "./open-notification.ts"
import { hasPicture, getSenderAppearance } from "./sender-appearance.ts"
import { secondLine, getText, getTitle } from "./wording.ts"

const typeTints: Record<Notification["type"], string> = {
  info: "bg-well text-soft border border-line",
  success: "bg-well text-good border border-line",
  error: "bg-danger-tint text-danger",
}

/** The sender of a notification, as a small image. */
function SenderGlyph({ notification }: { notification: Notification }) {
  const appearance = getSenderAppearance(notification)
  const [pictured, setPictured] = useState(() => hasPicture(notification.sender))
  const { color } = notification.sender
  const round = appearance.kind !== "glyph"
  return (
    <span
      aria-hidden
      className={classNames(
        "relative flex size-8 shrink-0 items-center justify-center overflow-hidden text-xs font-medium",
        round ? "rounded-full" : "rounded-lg",
        color === undefined && typeTints[notification.type],
      )}
      style={color === undefined ? undefined : { background: color, color: readableOn(color) }}
    >
      {pictured && (
        // Covers the initials when it has loaded; if there is no image, the initials stay.
        <BoxPicture
          path={`/api/public/notifications/${notification.id}/avatar`}
          alt=""
          className="absolute inset-0 size-full object-cover"
          onFailed={() => setPictured(false)}
        />
      )}
      {appearance.kind === "glyph" ? (
        <NamedIcon name={appearance.icon} fallback={Bell} className="size-4" />
      ) : (
        appearance.initials
      )}
    </span>
  )
}

/** Snoozes a notification, or switches off its category. */
function NotificationMenu({ notification }: { notification: Notification }) {
  return (
    <RowMenu
      label={t("areas:more")}
      renderMenu={(trigger) => <Actions notification={notification} trigger={trigger} />}
    />
  )
}

function Actions({ notification, trigger }: { notification: Notification; trigger: MenuTrigger }) {
  const { data: settings } = useSettings()
  const change = useChangeSettings()
  const { category } = notification
  const name = t(`notifications:categories.${category}`)
  const muted = settings?.mutedCategories
  const [evening] = useState(() => thisEvening(new Date()))
  const later = (moment: (now: Date) => Date) => () =>
    void snooze(notification, moment(new Date())).catch(showError)

  function muteCategory(others: NonNullable<typeof muted>): void {
    change.mutate(
      { mutedCategories: [...others, category] },
      {
        onSuccess: () =>
          showToast(t("areas:muted_toast", { category: name }), "info", {
            actions: [
              {
                label: t("common:undo"),
                shortcut: "undo",
                run: () => change.mutate({ mutedCategories: others }, { onError: showError }),
              },
            ],
          }),
        onError: showError,
      },
    )
  }

  return (
    <Menu defaultOpen trigger={trigger}>
      <MenuItem onSelect={later(inAnHour)}>
        <Clock aria-hidden /> {t("areas:snooze.hour")}
      </MenuItem>
      {evening && (
        <MenuItem onSelect={later(() => evening)}>
          <Clock aria-hidden /> {t("areas:snooze.evening")}
        </MenuItem>
      )}
      <MenuItem onSelect={later(tomorrowMorning)}>
        <Clock aria-hidden /> {t("areas:snooze.tomorrow")}
      </MenuItem>
      {categories[category].mutable && muted && !muted.includes(category) && (
        <MenuItem onSelect={() => muteCategory(muted)}>
          <BellOff aria-hidden /> {t("areas:mute", { category: name })}
        </MenuItem>
      )}
    </Menu>
  )
}

/** Maximum number of characters in a collapsed row, which shows two lines. */
const maxFolded = 1000

interface NotificationRowProps {
  notification: Notification
  /** Off in a list of one category, where every row would show the same. */
  isCategoryShown: boolean
  /** Called when it has opened another page. */
  onLeave: (() => void) | undefined
}

/** A notification in the bell. One without a target page expands instead. It is rendered again only when it has changed. */
export const NotificationRow = memo(function NotificationRow(props: NotificationRowProps) {
  const { notification, isCategoryShown, onLeave } = props
  const { read, category, sender, createdAt, question } = notification
  const title = getTitle(notification)
  const [unfolded, setUnfolded] = useState(false)
  // Actions are rendered only when the row is reached, to keep fast scrolling smooth.
  const [reached, setReached] = useState(false)
  const leadsNowhere = getRoute(notification) === null
  const origin = [
    sender.name ?? sender.email,
    isCategoryShown ? t(`notifications:categories.${category}`) : undefined,
  ]
    .filter(Boolean)
    .join(" · ")
  const outcome = question && getOutcome(question)
  const text = (unfolded && getText(notification)) || secondLine(notification)
  return (
    <div
      className="group/row relative px-1.5"
      onPointerEnter={() => setReached(true)}
      onFocus={() => setReached(true)}
    >
      <button
        type="button"
        data-row
        aria-expanded={leadsNowhere ? unfolded : undefined}
        onClick={() => {
          openNotification(notification)
          if (leadsNowhere) setUnfolded(!unfolded)
          else onLeave?.()
        }}
        onKeyDown={(event) => {
          moveBetweenRows(event)
          if (event.key !== "Delete") return
          focusRow(event.currentTarget, 1)
          notificationDeletions.deleteLater(notification)
        }}
        className="flex w-full items-start gap-3 rounded-lg px-2.5 py-2 text-left text-sm hover:bg-hover"
      >
        <SenderGlyph notification={notification} />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span
              title={unfolded ? undefined : title}
              className={classNames(
                "min-w-0 flex-1",
                unfolded || question ? "break-words" : "truncate",
                read ? "text-soft" : "font-medium",
              )}
            >
              {title}
            </span>
            <time
              dateTime={createdAt}
              title={formatFullMoment(createdAt)}
              className="shrink-0 text-xs text-faint tabular-nums"
            >
              {formatTime(createdAt)}
            </time>
            <span
              className={classNames("size-2 shrink-0 rounded-full", read ? "invisible" : "bg-accent")}
              aria-hidden
            />
            {!read && <span className="sr-only">{t("notifications:unread")}</span>}
          </span>
          {text !== "" && (
            <span
              className={classNames(
                "text-soft",
                unfolded ? "block break-words whitespace-pre-wrap" : "line-clamp-2",
              )}
            >
              {unfolded ? <LongText text={text} /> : text.slice(0, maxFolded)}
            </span>
          )}
          {outcome !== undefined && <span className="block break-words text-soft">{outcome}</span>}
          {notification.snoozedUntil !== null && (
            <span className="flex items-center gap-1 text-xs text-faint">
              <Clock className="size-3 shrink-0" aria-hidden />
              {t("areas:snooze.until", { moment: formatMoment(notification.snoozedUntil) })}
            </span>
          )}
          {origin !== "" && <span className="block truncate text-xs text-faint">{origin}</span>}
        </span>
      </button>
      {question?.status === "open" && (
        <QuestionChoices
          question={question}
          title={title}
          className="pr-24 pb-2.5 pl-[3.375rem]"
          onAnswer={(button) => button.closest("li")?.querySelector<HTMLElement>("[data-row]")?.focus()}
        />
      )}
      {reached && (
        <span className="absolute right-3 bottom-1.5 flex rounded-md bg-raised opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 no-hover:opacity-100">
          <RowAction
            label={t(read ? "notifications:markUnread" : "notifications:markRead")}
            onClick={() => void markRead(notification, !read).catch(showError)}
          >
            {read ? <Mail className="size-4" aria-hidden /> : <MailOpen className="size-4" aria-hidden />}
          </RowAction>
          <RowAction
            label={t("notifications:delete")}
            onClick={() => notificationDeletions.deleteLater(notification)}
          >
            <Trash2 className="size-4" aria-hidden />
          </RowAction>
          <NotificationMenu notification={notification} />
        </span>
      )}
    </div>
  )
})

interface RowActionProps {
  label: string
  onClick: () => void
  children: ReactNode
}

function RowAction({ label, onClick, children }: RowActionProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="inline-flex size-7 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
    >
      {children}
    </button>
  )
}

/** Arrow keys move from row to row. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  focusRow(event.currentTarget, step)
}

/** Focuses the row this many steps further down the screen. */
function focusRow(from: HTMLElement, step: number): void {
  const rows = [...(from.closest("ul")?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  )
  rows[rows.indexOf(from) + step]?.focus()
}
