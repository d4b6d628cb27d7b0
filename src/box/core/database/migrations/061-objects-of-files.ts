// For files on an object store: the key of each file's bytes, and the keys that rows may no longer refer to. An object is deleted after 30
// days if no row refers to it then; objects of a deleted chat are deleted at once.
/** The same columns for both databases, except for the type of fractional numbers. */
export const columns = (double: string) => `
ALTER TABLE files ADD COLUMN object TEXT;
CREATE INDEX "filesByObject" ON files(object) WHERE object IS NOT NULL;
ALTER TABLE "trashedFiles" ADD COLUMN object TEXT;
ALTER TABLE "trashedFiles" ADD COLUMN "modifiedMs" ${double};
CREATE INDEX "trashedByObject" ON "trashedFiles"(object) WHERE object IS NOT NULL;
ALTER TABLE "chatFiles" ADD COLUMN object TEXT;
CREATE INDEX "chatFilesByObject" ON "chatFiles"(object) WHERE object IS NOT NULL;

CREATE VIEW "usedObjects" AS
SELECT object FROM files WHERE object IS NOT NULL
UNION ALL SELECT object FROM "trashedFiles" WHERE object IS NOT NULL
UNION ALL SELECT object FROM "chatFiles" WHERE object IS NOT NULL;
`

export const note = (noticedAt: "NULL" | "'0000'") =>
  `INSERT INTO "unusedObjects" (object, "noticedAt") VALUES (old.object, ${noticedAt})
    ON CONFLICT (object) DO UPDATE SET "isNew" = 0, "noticedAt" = excluded."noticedAt";`

export const objectsOfFiles = `
${columns("REAL")}
CREATE TABLE unusedObjects (
  object TEXT PRIMARY KEY,
  noticedAt TEXT,
  isNew INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER objectReplaced AFTER UPDATE OF object ON files
WHEN OLD.object IS NOT NULL AND OLD.object IS NOT NEW.object
BEGIN ${note("NULL")} END;

CREATE TRIGGER objectOfFileLeft AFTER DELETE ON files WHEN OLD.object IS NOT NULL
BEGIN ${note("NULL")} END;

CREATE TRIGGER objectOfTrashLeft AFTER DELETE ON trashedFiles WHEN OLD.object IS NOT NULL
BEGIN ${note("NULL")} END;

CREATE TRIGGER objectOfChatLeft AFTER DELETE ON chatFiles WHEN OLD.object IS NOT NULL
BEGIN ${note("'0000'")} END;
`
