export const egress = `
CREATE TABLE egress (
  id TEXT PRIMARY KEY,
  startedAt TEXT NOT NULL,
  durationMs INTEGER,
  purpose TEXT NOT NULL,
  host TEXT NOT NULL,
  outcome TEXT NOT NULL,
  bytesSent INTEGER,
  bytesReceived INTEGER,
  userId TEXT,
  chatId TEXT,
  assistantId TEXT,
  tool TEXT
) STRICT;
CREATE INDEX egressByUser ON egress(userId, id DESC);
`
