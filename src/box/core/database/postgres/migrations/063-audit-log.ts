export const auditLog = `
CREATE TABLE "auditLog" (
  id text COLLATE "C" PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  "actorId" text COLLATE "C",
  "actorName" text COLLATE "C",
  "actorEmail" text COLLATE "C",
  via text COLLATE "C" NOT NULL,
  "keyId" text COLLATE "C",
  "keyName" text COLLATE "C",
  "keyPrefix" text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  "subjectId" text COLLATE "C",
  "subjectName" text COLLATE "C",
  details text COLLATE "C" NOT NULL,
  "requestId" text COLLATE "C",
  outcome text COLLATE "C" NOT NULL
);
CREATE INDEX "auditLogByActor" ON "auditLog"("actorId", id DESC);
CREATE INDEX "auditLogByAction" ON "auditLog"(action, id DESC);
CREATE FUNCTION "keepAuditLog"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'an entry of the audit log is not changed';
END $$;
CREATE TRIGGER "auditLogKept" BEFORE UPDATE ON "auditLog" FOR EACH ROW
WHEN (old.outcome <> 'begun' OR new.outcome = 'begun'
  OR to_jsonb(new) - ARRAY['outcome', 'subjectId', 'subjectName']
    <> to_jsonb(old) - ARRAY['outcome', 'subjectId', 'subjectName'])
EXECUTE FUNCTION "keepAuditLog"();
`
