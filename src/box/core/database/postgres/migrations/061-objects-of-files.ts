import { columns, note } from "../../migrations/061-objects-of-files.ts"

export const objectsOfFiles = `
${columns("DOUBLE PRECISION").replaceAll("object TEXT", 'object TEXT COLLATE "C"')}
CREATE TABLE "unusedObjects" (
  object text COLLATE "C" PRIMARY KEY,
  "noticedAt" text COLLATE "C",
  "isNew" integer NOT NULL DEFAULT 0
);

CREATE FUNCTION "noteUnusedObject"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${note("NULL")}
  RETURN NULL;
END $$;

CREATE FUNCTION "endObject"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${note("'0000'")}
  RETURN NULL;
END $$;

CREATE TRIGGER "objectReplaced" AFTER UPDATE OF object ON files FOR EACH ROW
  WHEN (old.object IS NOT NULL AND old.object IS DISTINCT FROM new.object) EXECUTE FUNCTION "noteUnusedObject"();
CREATE TRIGGER "objectOfFileLeft" AFTER DELETE ON files FOR EACH ROW
  WHEN (old.object IS NOT NULL) EXECUTE FUNCTION "noteUnusedObject"();
CREATE TRIGGER "objectOfTrashLeft" AFTER DELETE ON "trashedFiles" FOR EACH ROW
  WHEN (old.object IS NOT NULL) EXECUTE FUNCTION "noteUnusedObject"();
CREATE TRIGGER "objectOfChatLeft" AFTER DELETE ON "chatFiles" FOR EACH ROW
  WHEN (old.object IS NOT NULL) EXECUTE FUNCTION "endObject"();
`
