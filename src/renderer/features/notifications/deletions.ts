import { t } from "i18next"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { deleteNotification } from "../../data/notifications.ts"
import { createDeletions } from "../../lib/undoable-deletions.ts"

/** Notifications on their way out. */
export const notificationDeletions = createDeletions<Notification>({
  key: "deleted-notifications",
  tell: (notifications) => ({ text: t("notifications:deleted", { count: notifications.length }) }),
  remove: ({ id }) => deleteNotification(id),
})
