// Limits of people and workspaces, what people used of a day's, and how many bytes the files of a folder have: kept by triggers,
// because adding up 50,000 files with every upload takes too long. Of a person -1 is no limit, null what holds for everybody.
export const quotas = `
CREATE TABLE quotas (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  files INTEGER,
  bytes INTEGER,
  answers INTEGER,
  tokens INTEGER,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE dailyUse (
  userId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  answers INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (userId, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE folderSizes (
  folderId TEXT PRIMARY KEY REFERENCES folders(id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO folderSizes SELECT folderId, sum(size) FROM files GROUP BY folderId;

CREATE TRIGGER fileMeasured AFTER INSERT ON files BEGIN
  INSERT INTO folderSizes VALUES (new.folderId, new.size) ON CONFLICT DO UPDATE SET bytes = bytes + new.size;
END;
CREATE TRIGGER fileUnmeasured AFTER DELETE ON files BEGIN
  UPDATE folderSizes SET bytes = bytes - old.size WHERE folderId = old.folderId;
END;
CREATE TRIGGER fileMeasuredAnew AFTER UPDATE OF folderId, size ON files
WHEN new.folderId <> old.folderId OR new.size <> old.size BEGIN
  UPDATE folderSizes SET bytes = bytes - old.size WHERE folderId = old.folderId;
  INSERT INTO folderSizes VALUES (new.folderId, new.size) ON CONFLICT DO UPDATE SET bytes = bytes + new.size;
END;
`

export const quotasOfPostgres = `
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
