// Who sent the rows that are there isn't known: the box's own have news, the others count as their recipient's.
export const notificationSenders = `
ALTER TABLE notifications ADD COLUMN senderId TEXT;
UPDATE notifications SET senderId = userId WHERE news IS NULL;
DROP INDEX notificationsByKey;
CREATE UNIQUE INDEX notificationsByKey ON notifications(userId, ifnull(senderId, ''), dedupeKey)
  WHERE dedupeKey IS NOT NULL;
`
