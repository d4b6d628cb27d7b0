// Unread answers, and snoozed notifications.
export const inbox = `
ALTER TABLE conversations ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
ALTER TABLE notifications ADD COLUMN snoozedUntil TEXT;
CREATE INDEX notificationsSnoozed ON notifications (snoozedUntil) WHERE snoozedUntil IS NOT NULL;
`
