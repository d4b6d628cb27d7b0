/** Ordered and compared by bytes, like SQLite, whatever the database's language is. */
export const text = 'text COLLATE "C"'

/** Tables of people, folders, files and chats, to which most others refer. */
export const referredTables = `
CREATE TABLE users (
  id ${text} PRIMARY KEY,
  email ${text} NOT NULL,
  name ${text} NOT NULL,
  "createdAt" ${text} NOT NULL,
  "disabledAt" ${text}
);

CREATE UNIQUE INDEX "usersByEmail" ON users(lower(email));

CREATE TABLE workspaces (
  id ${text} PRIMARY KEY,
  name ${text} NOT NULL,
  "createdAt" ${text} NOT NULL
);

CREATE TABLE memberships (
  "workspaceId" ${text} NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
  "userId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  role ${text} NOT NULL,
  PRIMARY KEY ("workspaceId", "userId")
);

CREATE INDEX "membershipsByUser" ON memberships("userId");

CREATE TABLE "apiKeys" (
  id ${text} PRIMARY KEY,
  "userId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  kind ${text} NOT NULL,
  scopes ${text},
  hint ${text} NOT NULL,
  hash bytea NOT NULL UNIQUE,
  "createdAt" ${text} NOT NULL,
  "lastUsedAt" ${text}
);

CREATE INDEX "apiKeysByUser" ON "apiKeys"("userId");

CREATE TABLE sessions (
  id ${text} PRIMARY KEY,
  "userId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE,
  "createdAt" ${text} NOT NULL,
  "expiresAt" ${text} NOT NULL,
  "secretHash" bytea NOT NULL DEFAULT ''
);

CREATE TABLE "signInTokens" (
  hash bytea PRIMARY KEY,
  "userId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  "expiresAt" ${text} NOT NULL
);

CREATE TABLE settings (
  key ${text} PRIMARY KEY,
  value ${text} NOT NULL
);

CREATE TABLE folders (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  description ${text} NOT NULL,
  path ${text} NOT NULL,
  managed bigint NOT NULL,
  device ${text},
  "topK" bigint NOT NULL,
  filter bigint NOT NULL,
  strategy ${text} NOT NULL,
  pipeline ${text} NOT NULL,
  visibility ${text} NOT NULL,
  "iconName" ${text},
  "accentColor" ${text},
  paused bigint NOT NULL,
  "createdAt" ${text} NOT NULL,
  "updatedAt" ${text} NOT NULL,
  "chatId" ${text},
  removed bigint NOT NULL DEFAULT 0,
  inode ${text},
  remote ${text} NOT NULL DEFAULT 'allowed'
);

CREATE INDEX "foldersByOwner" ON folders("ownerId", "createdAt");

CREATE TABLE files (
  id ${text} PRIMARY KEY,
  "folderId" ${text} NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  "subFolder" ${text} NOT NULL,
  "searchName" ${text} NOT NULL,
  size bigint NOT NULL,
  "modifiedMs" double precision NOT NULL,
  identity ${text} NOT NULL,
  "mimeType" ${text} NOT NULL,
  storage ${text} NOT NULL,
  status ${text} NOT NULL,
  phase ${text} NOT NULL,
  progress bigint NOT NULL,
  error ${text},
  note ${text},
  attempts bigint NOT NULL,
  revision bigint NOT NULL,
  priority bigint NOT NULL,
  "createdAt" ${text} NOT NULL,
  "updatedAt" ${text} NOT NULL,
  "waitingPages" ${text},
  "retryAt" ${text},
  chunker bigint NOT NULL DEFAULT 1,
  reasons ${text},
  "changedMs" double precision,
  "contentHash" ${text},
  "webPage" ${text},
  "refreshAt" ${text},
  "leftOut" bigint NOT NULL DEFAULT 0,
  "nameOrder" ${text} NOT NULL DEFAULT ''
);

-- A path may be longer than what an index holds of a row.
CREATE UNIQUE INDEX "filesByPath" ON files("folderId", name, md5("subFolder"));

CREATE INDEX "filesByStatus" ON files("folderId", status, id);

CREATE INDEX "filesByIdentity" ON files("folderId", identity);

CREATE INDEX "filesToIngest" ON files("folderId", priority DESC, id) WHERE status = 'queued';

CREATE INDEX "filesInWork" ON files(id) WHERE status = 'processing';

CREATE TABLE "fileTexts" (
  "fileId" ${text} NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  position bigint NOT NULL,
  blocks bytea NOT NULL,
  characters bigint,
  PRIMARY KEY ("fileId", position)
);

CREATE TABLE passages (
  id ${text} PRIMARY KEY,
  "fileId" ${text} NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  position bigint NOT NULL,
  text ${text} NOT NULL,
  location ${text} NOT NULL
);

CREATE INDEX "passagesInOrder" ON passages("fileId", position);

CREATE TABLE "passageEmbeddings" (
  "passageId" ${text} PRIMARY KEY REFERENCES passages(id) ON DELETE CASCADE,
  "modelId" ${text} NOT NULL,
  vector bytea NOT NULL
);

CREATE TABLE conversations (
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  id ${text} NOT NULL,
  title ${text} NOT NULL,
  "foldedTitle" ${text} NOT NULL,
  origin ${text} NOT NULL,
  "vectorIds" ${text} NOT NULL,
  "assistantId" ${text},
  "projectId" ${text},
  "headId" ${text},
  "messageCount" bigint NOT NULL,
  "streamStatus" ${text} NOT NULL,
  "streamStartedAt" ${text},
  "streamActivityAt" ${text},
  "createdAt" ${text} NOT NULL,
  "updatedAt" ${text} NOT NULL,
  pinned bigint NOT NULL DEFAULT 0,
  removed bigint NOT NULL DEFAULT 0,
  "modelId" ${text},
  "readVectorIds" ${text} NOT NULL DEFAULT '[]',
  "staysHere" bigint NOT NULL DEFAULT 0,
  untold bigint NOT NULL DEFAULT 0,
  "removedProjectId" ${text},
  unread bigint NOT NULL DEFAULT 0,
  "importId" ${text},
  "builtInTools" ${text} NOT NULL DEFAULT '{}',
  PRIMARY KEY ("ownerId", id)
);

CREATE TABLE messages (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL,
  "conversationId" ${text} NOT NULL,
  "parentId" ${text},
  depth bigint NOT NULL,
  role ${text} NOT NULL,
  content ${text} NOT NULL,
  parts ${text} NOT NULL,
  attachments ${text},
  "finishReason" ${text},
  "createdAt" ${text} NOT NULL,
  usage ${text},
  "assistantId" ${text},
  "readLabels" ${text},
  model ${text},
  "askedFiles" ${text},
  "factTable" ${text},
  FOREIGN KEY ("ownerId", "conversationId") REFERENCES conversations("ownerId", id) ON DELETE CASCADE
);

CREATE INDEX "messagesByConversation" ON messages("ownerId", "conversationId", depth);

CREATE INDEX "messagesByParent" ON messages("parentId");

CREATE TABLE notifications (
  id ${text} PRIMARY KEY,
  "userId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  title ${text} NOT NULL,
  description ${text} NOT NULL,
  preview ${text},
  type ${text} NOT NULL,
  category ${text} NOT NULL,
  "deepLink" ${text},
  "chatId" ${text},
  sender ${text} NOT NULL,
  read bigint NOT NULL,
  seen bigint NOT NULL,
  muted bigint NOT NULL,
  silent bigint NOT NULL,
  "silentToast" bigint NOT NULL,
  "dedupeKey" ${text},
  metadata ${text},
  "createdAt" ${text} NOT NULL,
  "notifiedAt" ${text} NOT NULL,
  news ${text},
  "senderId" ${text},
  "snoozedUntil" ${text}
);

CREATE INDEX "notificationsInOrder" ON notifications("userId", "createdAt" DESC, id DESC);

CREATE INDEX "notificationsByCategory" ON notifications("userId", category, "createdAt" DESC, id DESC);

CREATE INDEX "notificationsUnread" ON notifications("userId", "createdAt" DESC, id DESC) WHERE read = 0;

CREATE TABLE "notificationCounts" (
  "userId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  category ${text} NOT NULL,
  read bigint NOT NULL,
  muted bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY ("userId", category, read, muted)
);

CREATE TABLE "userSettings" (
  "userId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  key ${text} NOT NULL,
  value ${text} NOT NULL,
  PRIMARY KEY ("userId", key)
);

CREATE TABLE assistants (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  "foldedName" ${text} NOT NULL,
  handle ${text} NOT NULL UNIQUE,
  description ${text} NOT NULL,
  instructions ${text} NOT NULL,
  visibility ${text} NOT NULL,
  "vectorIds" ${text} NOT NULL,
  "builtInTools" ${text} NOT NULL,
  "permissionMode" ${text} NOT NULL,
  icon ${text},
  color ${text},
  "customImage" ${text},
  suggestions ${text} NOT NULL,
  enabled bigint NOT NULL,
  "createdAt" ${text} NOT NULL,
  "updatedAt" ${text} NOT NULL,
  removed bigint NOT NULL DEFAULT 0,
  "modelId" ${text}
);

CREATE INDEX "assistantsByTime" ON assistants("createdAt" DESC, id DESC);

CREATE TABLE "searchedMessages" (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  "ownerId" ${text} NOT NULL,
  "conversationId" ${text} NOT NULL,
  "messageId" ${text} NOT NULL UNIQUE,
  text ${text} NOT NULL
);

CREATE INDEX "searchedMessagesByOwner" ON "searchedMessages"("ownerId", id DESC);

CREATE TABLE retrievals (
  "messageId" ${text} PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE,
  query ${text} NOT NULL,
  strategy ${text} NOT NULL,
  candidates ${text} NOT NULL
);

CREATE UNIQUE INDEX "foldersByChat" ON folders("ownerId", "chatId") WHERE "chatId" IS NOT NULL;

CREATE TABLE memories (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  text ${text} NOT NULL,
  "foldedText" ${text} NOT NULL,
  "createdAt" ${text} NOT NULL,
  "updatedAt" ${text} NOT NULL
);

CREATE INDEX "memoriesByTime" ON memories("ownerId", "updatedAt" DESC, id DESC);

CREATE TABLE approvals (
  "messageId" ${text} NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  "toolCallId" ${text} NOT NULL,
  "ownerId" ${text} NOT NULL,
  "chatId" ${text} NOT NULL,
  "toolName" ${text} NOT NULL,
  args ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  "reasonCode" ${text} NOT NULL,
  reason ${text} NOT NULL,
  state ${text} NOT NULL,
  "createdAt" ${text} NOT NULL,
  "expiresAt" ${text} NOT NULL,
  delegation ${text},
  identity ${text} NOT NULL DEFAULT '',
  sentence ${text},
  PRIMARY KEY ("messageId", "toolCallId")
);

CREATE INDEX "approvalsByChat" ON approvals("ownerId", "chatId");

CREATE INDEX "approvalsWaiting" ON approvals("expiresAt") WHERE state = 'waiting';

CREATE TABLE "parkedTurns" (
  "messageId" ${text} PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE,
  "ownerId" ${text} NOT NULL,
  "chatId" ${text} NOT NULL,
  turn ${text} NOT NULL
);

CREATE INDEX "parkedTurnsByChat" ON "parkedTurns"("ownerId", "chatId");

CREATE TABLE "rememberedTools" (
  "ownerId" ${text} NOT NULL,
  "chatId" ${text} NOT NULL,
  "toolName" ${text} NOT NULL,
  identity ${text} NOT NULL DEFAULT '',
  PRIMARY KEY ("ownerId", "chatId", "toolName"),
  FOREIGN KEY ("ownerId", "chatId") REFERENCES conversations("ownerId", id) ON DELETE CASCADE
);

CREATE TABLE "chatFiles" (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL,
  "chatId" ${text} NOT NULL,
  name ${text} NOT NULL,
  "mediaType" ${text} NOT NULL,
  size bigint NOT NULL,
  "createdAt" ${text} NOT NULL,
  FOREIGN KEY ("ownerId", "chatId") REFERENCES conversations("ownerId", id) ON DELETE CASCADE
);

CREATE INDEX "chatFilesByChat" ON "chatFiles"("ownerId", "chatId");

CREATE INDEX "filesToRetry" ON files("retryAt") WHERE "retryAt" IS NOT NULL;
`
