// `draft` is the last column because it can have megabytes: reading the columns before it doesn't read it.
export const supportTickets = `
CREATE TABLE supportTickets (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  problem TEXT,
  attempts INTEGER NOT NULL,
  nextAttemptAt TEXT,
  ticketId TEXT,
  status TEXT,
  statusChangedAt TEXT,
  createdAt TEXT NOT NULL,
  sentAt TEXT,
  context TEXT NOT NULL,
  draft TEXT
) STRICT;
CREATE INDEX supportTicketsByOwner ON supportTickets(ownerId, id DESC);
CREATE INDEX supportTicketsDue ON supportTickets(nextAttemptAt) WHERE nextAttemptAt IS NOT NULL;
`
