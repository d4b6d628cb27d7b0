// The senders of existing rows are unknown. Rows from the box have news; the others are treated as sent by their recipient.
export const notificationSenders = `
ALTER TABLE notifications ADD COLUMN senderId TEXT;
UPDATE notifications SET senderId = userId WHERE news IS NULL;
DROP INDEX notificationsByKey;
CREATE UNIQUE INDEX notificationsByKey ON notifications(userId, ifnull(senderId, ''), dedupeKey)
  WHERE dedupeKey IS NOT NULL;
`
