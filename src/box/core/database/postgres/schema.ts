/** Ordered and compared by bytes, like SQLite, whatever the database's language is. */
const text = 'text COLLATE "C"'

/** The number of migrations when PostgreSQL support was added. */
export const firstPostgresVersion = 59

/**
 * The schema at that version, table by table and column by column the result of SQLite's migrations. As in SQLite, numbers are 64 bits
 * wide, and times and JSON are text.
 */
export const postgresSchema = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- One row. "id" tells this database from any other; "dataDirectory" to which directory's box the rows belong, all of them here once "moved".
CREATE TABLE "schemaVersion" (
  version integer NOT NULL,
  id text NOT NULL DEFAULT gen_random_uuid(),
  "dataDirectory" text,
  moved boolean NOT NULL DEFAULT true
);

INSERT INTO "schemaVersion" (version) VALUES (0);

-- Functions that SQLite has and PostgreSQL hasn't, as statements use them.

CREATE FUNCTION ifnull(given text, otherwise text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(given, otherwise);

CREATE FUNCTION instr(given text, sought text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN strpos(given, sought);

CREATE FUNCTION json_valid(given text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$ BEGIN
  RETURN given::json IS NOT NULL;
EXCEPTION WHEN others THEN RETURN false; END $$;

CREATE FUNCTION json_each(list text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  -- What JSON writes for U+0000 as what is stored for it.
  SELECT element FROM json_array_elements_text(
    regexp_replace(list, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000', '\\1' || U&'\\FFFE' || '0', 'g')::json
  ) AS element;
END;

CREATE FUNCTION json_extract(given text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN given::json #>> string_to_array(substr(path, 3), '.');

CREATE FUNCTION json_array_length(given text, path text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN json_array_length(given::json #> string_to_array(substr(path, 3), '.'));

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

CREATE TABLE "toolServers" (
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  key ${text} NOT NULL,
  name ${text} NOT NULL,
  target ${text} NOT NULL,
  "linkedAt" ${text},
  "signedOut" bigint NOT NULL,
  approved ${text} NOT NULL,
  offer ${text} NOT NULL,
  "readTools" ${text} NOT NULL,
  "createdAt" ${text} NOT NULL,
  "offTools" ${text} NOT NULL DEFAULT '[]',
  PRIMARY KEY ("ownerId", key)
);

CREATE TABLE "supportTickets" (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  state ${text} NOT NULL,
  type ${text} NOT NULL,
  title ${text} NOT NULL,
  description ${text} NOT NULL,
  problem ${text},
  attempts bigint NOT NULL,
  "nextAttemptAt" ${text},
  "ticketId" ${text},
  status ${text},
  "statusChangedAt" ${text},
  "createdAt" ${text} NOT NULL,
  "sentAt" ${text},
  context ${text} NOT NULL,
  draft ${text}
);

CREATE INDEX "supportTicketsByOwner" ON "supportTickets"("ownerId", id DESC);

CREATE INDEX "supportTicketsDue" ON "supportTickets"("nextAttemptAt") WHERE "nextAttemptAt" IS NOT NULL;

CREATE INDEX "filesByChunker" ON files(id, chunker) WHERE status = 'completed';

CREATE TABLE egress (
  id ${text} PRIMARY KEY,
  "startedAt" ${text} NOT NULL,
  "durationMs" bigint,
  purpose ${text} NOT NULL,
  host ${text} NOT NULL,
  outcome ${text} NOT NULL,
  "bytesSent" bigint,
  "bytesReceived" bigint,
  "userId" ${text},
  "chatId" ${text},
  "assistantId" ${text},
  tool ${text}
);

CREATE INDEX "egressByUser" ON egress("userId", id DESC);

CREATE UNIQUE INDEX "notificationsByKey" ON notifications("userId", ifnull("senderId", ''), "dedupeKey")
  WHERE "dedupeKey" IS NOT NULL;

CREATE TABLE "unfinishedChanges" (
  "fileId" ${text} PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  "subFolder" ${text} NOT NULL,
  "fromName" ${text} NOT NULL,
  "toName" ${text},
  "fromFile" ${text},
  "toFile" ${text}
);

CREATE TABLE "answerPieces" (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  "messageId" ${text} NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  parts ${text} NOT NULL
);

CREATE INDEX "answerPiecesByMessage" ON "answerPieces"("messageId");

CREATE TABLE "folderMounts" (
  "folderId" ${text} NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  path ${text} NOT NULL,
  device ${text} NOT NULL,
  PRIMARY KEY ("folderId", path)
);

CREATE TABLE "queuedQuestions" (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id ${text} NOT NULL UNIQUE,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  "chatId" ${text} NOT NULL,
  content ${text} NOT NULL,
  "assistantId" ${text},
  "vectorIds" ${text} NOT NULL,
  attachments ${text},
  "afterId" ${text},
  "boxAddress" ${text} NOT NULL,
  asker ${text} NOT NULL,
  now bigint NOT NULL DEFAULT 0,
  stopped bigint NOT NULL DEFAULT 0,
  problem ${text},
  "createdAt" ${text} NOT NULL,
  removed bigint NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 0,
  "modelId" ${text},
  reading ${text},
  "fileIds" ${text},
  "factTable" ${text},
  "projectId" ${text},
  "builtInTools" ${text}
);

CREATE INDEX "queuedQuestionsByChat" ON "queuedQuestions"("ownerId", "chatId", number);

CREATE TABLE "returningFiles" (
  "fileId" ${text} PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  file ${text} NOT NULL
);

CREATE TABLE "fileCounts" (
  "folderId" ${text} NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  status ${text} NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY ("folderId", status)
);

CREATE INDEX "filesInOrder" ON files("folderId", id, "searchName");

CREATE TABLE "conversationCounts" (
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  origin ${text} NOT NULL,
  pinned bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY ("ownerId", origin, pinned)
);

CREATE INDEX "conversationsByTime" ON conversations("ownerId", removed, "updatedAt" DESC, id, pinned, "foldedTitle");

CREATE INDEX "conversationsPinned" ON conversations("ownerId", removed, "updatedAt" DESC, id) WHERE pinned = 1;

CREATE TABLE "modelServers" (
  id ${text} PRIMARY KEY,
  name ${text} NOT NULL,
  url ${text} NOT NULL,
  "givenModels" ${text} NOT NULL,
  models ${text} NOT NULL,
  state ${text} NOT NULL,
  problem ${text},
  "createdAt" ${text} NOT NULL
);

CREATE TABLE "readNotes" (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE,
  model ${text} NOT NULL,
  question bytea NOT NULL,
  notes ${text} NOT NULL,
  characters bigint NOT NULL,
  milliseconds bigint NOT NULL,
  "usedAt" ${text} NOT NULL,
  tokens bigint
);

CREATE INDEX "readNotesByModel" ON "readNotes"(model, id);

CREATE INDEX "readNotesByUse" ON "readNotes"("usedAt");

CREATE TABLE "readNoteFiles" (
  "fileId" ${text} NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  "noteId" bigint NOT NULL REFERENCES "readNotes"(id) ON DELETE CASCADE,
  PRIMARY KEY ("fileId", "noteId")
);

CREATE INDEX "readNoteFilesByNote" ON "readNoteFiles"("noteId");

CREATE INDEX "fileTextsByLength" ON "fileTexts"("fileId", characters);

CREATE INDEX "conversationsUntold" ON conversations (untold) WHERE untold = 1;

CREATE TABLE projects (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  instructions ${text} NOT NULL,
  "vectorIds" ${text} NOT NULL,
  "assistantId" ${text},
  removed bigint NOT NULL DEFAULT 0,
  "createdAt" ${text} NOT NULL
);

CREATE INDEX "projectsByOwner" ON projects("ownerId", "createdAt" DESC);

CREATE INDEX "conversationsByProject" ON conversations("ownerId", "projectId", "updatedAt" DESC, id)
  WHERE "projectId" IS NOT NULL;

CREATE INDEX "conversationsByRemovedProject" ON conversations("removedProjectId") WHERE "removedProjectId" IS NOT NULL;

CREATE TABLE "chatImports" (
  id ${text} PRIMARY KEY,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  status ${text} NOT NULL,
  chats bigint NOT NULL DEFAULT 0,
  messages bigint NOT NULL DEFAULT 0,
  skipped ${text} NOT NULL DEFAULT '[]',
  known bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  "skippedCount" bigint NOT NULL DEFAULT 0,
  found ${text},
  "createdAt" ${text} NOT NULL DEFAULT '',
  "endedAt" ${text}
);

CREATE INDEX "chatImportsByOwner" ON "chatImports"("ownerId", status);

CREATE TABLE "trashedFiles" (
  id ${text} PRIMARY KEY,
  "userId" ${text} NOT NULL,
  "folderId" ${text} NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  "subFolder" ${text} NOT NULL,
  name ${text} NOT NULL,
  size bigint NOT NULL,
  "deletedAt" ${text} NOT NULL
);

CREATE INDEX "trashedFilesFolder" ON "trashedFiles" ("folderId");

CREATE INDEX "trashedFilesUser" ON "trashedFiles" ("userId");

CREATE INDEX "filesRefresh" ON files ("refreshAt") WHERE "refreshAt" IS NOT NULL;

CREATE INDEX "notificationsSnoozed" ON notifications ("snoozedUntil") WHERE "snoozedUntil" IS NOT NULL;

CREATE INDEX "chatImportsByTime" ON "chatImports"("ownerId", "createdAt" DESC);

CREATE INDEX "conversationsByImport" ON conversations("ownerId", "importId", "updatedAt" DESC, id)
  WHERE "importId" IS NOT NULL;

CREATE INDEX "filesByName" ON files("folderId", "nameOrder", id);

CREATE TABLE deletions (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  "ownerId" ${text} NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  kind ${text} NOT NULL,
  "itemId" ${text} NOT NULL,
  kept ${text} NOT NULL,
  "tokenHash" bytea,
  until ${text} NOT NULL
);

CREATE INDEX "deletionsByItem" ON deletions("ownerId", kind, "itemId");

CREATE INDEX "deletionsByToken" ON deletions("tokenHash");

-- Search compares texts without differences of case and accents, by threes of characters.

CREATE FUNCTION folded(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  lower(regexp_replace(normalize(given, NFD), '[\\u0300-\\u036f]', '', 'g') COLLATE "und-x-icu");

CREATE INDEX "fileNames" ON files USING gin (folded(name) gin_trgm_ops);

CREATE INDEX "messageTexts" ON "searchedMessages" USING gin (text gin_trgm_ops);

CREATE FUNCTION "noteMessage"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO "searchedMessages" ("ownerId", "conversationId", "messageId", text)
    VALUES (new."ownerId", new."conversationId", new.id, folded(substr(new.content, 1, 20000)))
    ON CONFLICT ("messageId") DO UPDATE SET text = excluded.text;
  RETURN NULL;
END $$;

CREATE FUNCTION "forgetMessage"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM "searchedMessages" WHERE "messageId" = old.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "messageAdded" AFTER INSERT ON messages FOR EACH ROW
  WHEN (new.role <> 'system' AND new.content <> '') EXECUTE FUNCTION "noteMessage"();

CREATE TRIGGER "messageCompleted" AFTER UPDATE OF "finishReason" ON messages FOR EACH ROW
  WHEN (new."finishReason" IS NOT NULL AND new.content <> '') EXECUTE FUNCTION "noteMessage"();

CREATE TRIGGER "messageRemoved" AFTER DELETE ON messages FOR EACH ROW EXECUTE FUNCTION "forgetMessage"();

-- Counts, so that nobody counts thousands of rows to show a number. Whoever counts up waits for others who count the same.

CREATE FUNCTION "countNotification"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE "notificationCounts" SET amount = amount - 1
    WHERE "userId" = old."userId" AND category = old.category AND read = old.read AND muted = old.muted;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO "notificationCounts" AS counts VALUES (new."userId", new.category, new.read, new.muted, 1)
    ON CONFLICT ("userId", category, read, muted) DO UPDATE SET amount = counts.amount + 1;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "notificationCounted" AFTER INSERT OR DELETE OR UPDATE OF category, read, muted ON notifications
  FOR EACH ROW EXECUTE FUNCTION "countNotification"();

CREATE FUNCTION "countFile"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'UPDATE' AND new."folderId" = old."folderId" AND new.status = old.status THEN RETURN NULL; END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE "fileCounts" SET amount = amount - 1 WHERE "folderId" = old."folderId" AND status = old.status;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO "fileCounts" AS counts VALUES (new."folderId", new.status, 1)
    ON CONFLICT ("folderId", status) DO UPDATE SET amount = counts.amount + 1;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "fileCounted" AFTER INSERT OR DELETE OR UPDATE OF "folderId", status ON files
  FOR EACH ROW EXECUTE FUNCTION "countFile"();

CREATE FUNCTION "countConversation"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'UPDATE' AND new.origin = old.origin AND new.pinned = old.pinned AND new.removed = old.removed THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' AND old.removed = 0 THEN
    UPDATE "conversationCounts" SET amount = amount - 1
    WHERE "ownerId" = old."ownerId" AND origin = old.origin AND pinned = old.pinned;
  END IF;
  IF TG_OP <> 'DELETE' AND new.removed = 0 THEN
    INSERT INTO "conversationCounts" AS counts VALUES (new."ownerId", new.origin, new.pinned, 1)
    ON CONFLICT ("ownerId", origin, pinned) DO UPDATE SET amount = counts.amount + 1;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "conversationCounted" AFTER INSERT OR DELETE OR UPDATE OF origin, pinned, removed ON conversations
  FOR EACH ROW EXECUTE FUNCTION "countConversation"();

CREATE FUNCTION "forgetNote"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM "readNotes" WHERE id = old."noteId";
  RETURN NULL;
END $$;

CREATE TRIGGER "readNoteFilesDeleted" AFTER DELETE ON "readNoteFiles" FOR EACH ROW EXECUTE FUNCTION "forgetNote"();
`
