// Where files of the box's own folders are on an object store: the key of each one's bytes, and keys of which no row may
// tell any more. Whether one does is looked for before its object goes.
const columns = `
ALTER TABLE files ADD COLUMN object TEXT;
CREATE INDEX "filesByObject" ON files(object) WHERE object IS NOT NULL;
ALTER TABLE "trashedFiles" ADD COLUMN object TEXT;
ALTER TABLE "trashedFiles" ADD COLUMN "modifiedMs" DOUBLE PRECISION;
CREATE INDEX "trashedByObject" ON "trashedFiles"(object) WHERE object IS NOT NULL;
`

const noted = `INSERT INTO "unusedObjects" (object) VALUES (old.object) ON CONFLICT (object) DO UPDATE SET "isNew" = 0;`

export const objectsOfFiles = `
${columns.replace("DOUBLE PRECISION", "REAL")}
CREATE TABLE unusedObjects (
  object TEXT PRIMARY KEY,
  noticedAt TEXT,
  isNew INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER objectReplaced AFTER UPDATE OF object ON files
WHEN OLD.object IS NOT NULL AND OLD.object IS NOT NEW.object
BEGIN ${noted} END;

CREATE TRIGGER objectOfFileLeft AFTER DELETE ON files WHEN OLD.object IS NOT NULL
BEGIN ${noted} END;

CREATE TRIGGER objectOfTrashLeft AFTER DELETE ON trashedFiles WHEN OLD.object IS NOT NULL
BEGIN ${noted} END;
`

export const objectsOfFilesPostgres = `
${columns}
CREATE TABLE "unusedObjects" (
  object text COLLATE "C" PRIMARY KEY,
  "noticedAt" text COLLATE "C",
  "isNew" integer NOT NULL DEFAULT 0
);

CREATE FUNCTION "noteUnusedObject"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${noted}
  RETURN NULL;
END $$;

CREATE TRIGGER "objectReplaced" AFTER UPDATE OF object ON files FOR EACH ROW
  WHEN (old.object IS NOT NULL AND old.object IS DISTINCT FROM new.object) EXECUTE FUNCTION "noteUnusedObject"();
CREATE TRIGGER "objectOfFileLeft" AFTER DELETE ON files FOR EACH ROW
  WHEN (old.object IS NOT NULL) EXECUTE FUNCTION "noteUnusedObject"();
CREATE TRIGGER "objectOfTrashLeft" AFTER DELETE ON "trashedFiles" FOR EACH ROW
  WHEN (old.object IS NOT NULL) EXECUTE FUNCTION "noteUnusedObject"();
`
