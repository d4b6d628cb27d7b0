export const quotas = `
CREATE TABLE quotas (
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  files bigint,
  bytes bigint,
  answers bigint,
  tokens bigint,
  PRIMARY KEY (kind, id)
);
CREATE TABLE "dailyUse" (
  "userId" text COLLATE "C" NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  day text COLLATE "C" NOT NULL,
  answers bigint NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0,
  PRIMARY KEY ("userId", day)
);

CREATE TABLE "folderSizes" (
  "folderId" text COLLATE "C" PRIMARY KEY REFERENCES folders(id) ON DELETE CASCADE,
  bytes bigint NOT NULL
);
INSERT INTO "folderSizes" SELECT "folderId", sum(size) FROM files GROUP BY "folderId";

CREATE FUNCTION "measureFile"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'UPDATE' AND new."folderId" = old."folderId" AND new.size = old.size THEN RETURN NULL; END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE "folderSizes" SET bytes = bytes - old.size WHERE "folderId" = old."folderId";
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO "folderSizes" AS sizes VALUES (new."folderId", new.size)
    ON CONFLICT ("folderId") DO UPDATE SET bytes = sizes.bytes + new.size;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "fileMeasured" AFTER INSERT OR DELETE OR UPDATE OF "folderId", size ON files
  FOR EACH ROW EXECUTE FUNCTION "measureFile"();
`
