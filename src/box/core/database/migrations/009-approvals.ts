// A turn that waits for its owner is stored completely, so that it outlives its caller and the box.
export const approvals = `
CREATE TABLE approvals (
  messageId TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  toolCallId TEXT NOT NULL,
  ownerId TEXT NOT NULL,
  chatId TEXT NOT NULL,
  toolName TEXT NOT NULL,
  args TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  reasonCode TEXT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  expiresAt TEXT NOT NULL,
  PRIMARY KEY (messageId, toolCallId)
) STRICT;
CREATE INDEX approvalsByChat ON approvals(ownerId, chatId);
CREATE INDEX approvalsWaiting ON approvals(expiresAt) WHERE state = 'waiting';

CREATE TABLE parkedTurns (
  messageId TEXT PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE,
  ownerId TEXT NOT NULL,
  chatId TEXT NOT NULL,
  turn TEXT NOT NULL
) STRICT;
CREATE INDEX parkedTurnsByChat ON parkedTurns(ownerId, chatId);

CREATE TABLE rememberedTools (
  ownerId TEXT NOT NULL,
  chatId TEXT NOT NULL,
  toolName TEXT NOT NULL,
  PRIMARY KEY (ownerId, chatId, toolName),
  FOREIGN KEY (ownerId, chatId) REFERENCES conversations(ownerId, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE chatFiles (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL,
  chatId TEXT NOT NULL,
  name TEXT NOT NULL,
  mediaType TEXT NOT NULL,
  size INTEGER NOT NULL,
  createdAt TEXT NOT NULL,
  FOREIGN KEY (ownerId, chatId) REFERENCES conversations(ownerId, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX chatFilesByChat ON chatFiles(ownerId, chatId);
`
