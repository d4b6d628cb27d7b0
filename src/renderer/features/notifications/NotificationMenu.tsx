import { t } from "i18next"
import { BellOff, Clock } from "lucide-react"
import { useState } from "react"
import { categories } from "../../../shared/contract/notification-categories.ts"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { snooze } from "../../data/notifications.ts"
import { useMuteCategories, useSettings } from "../../data/settings.ts"
import { inAnHour, thisEvening, tomorrowMorning } from "../../lib/moments.ts"
import { showToast } from "../../lib/toasts.ts"
import { Menu, MenuItem, type MenuTrigger, RowMenu } from "../../ui/layers/Menu.tsx"
import { showFailure } from "./open-notification.ts"

/** Snoozes a notification, or switches off its category. */
export function NotificationMenu({ notification }: { notification: Notification }) {
  return (
    <RowMenu
      label={t("areas:more")}
      renderMenu={(trigger) => <Actions notification={notification} trigger={trigger} />}
    />
  )
}

function Actions({ notification, trigger }: { notification: Notification; trigger: MenuTrigger }) {
  const { data: settings } = useSettings()
  const mute = useMuteCategories()
  const { category } = notification
  const name = t(`notifications:categories.${category}`)
  const muted = settings?.mutedCategories
  const [evening] = useState(() => thisEvening(new Date()))
  const later = (moment: (now: Date) => Date) => () =>
    void snooze(notification, moment(new Date())).catch(showFailure)

  function muteCategory(others: NonNullable<typeof muted>): void {
    mute.mutate([...others, category], {
      onSuccess: () =>
        showToast(t("areas:muted_toast", { category: name }), "info", {
          actions: [
            {
              label: t("common:undo"),
              shortcut: "undo",
              run: () => mute.mutate(others, { onError: showFailure }),
            },
          ],
        }),
      onError: showFailure,
    })
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
