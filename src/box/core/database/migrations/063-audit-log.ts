// Entries are never changed, with one exception: the outcome and the target of an action that was started are added once.
export const auditLog = `
CREATE TABLE auditLog (
  id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  actorId TEXT,
  actorName TEXT,
  actorEmail TEXT,
  via TEXT NOT NULL,
  keyId TEXT,
  keyName TEXT,
  keyPrefix TEXT,
  action TEXT NOT NULL,
  subjectId TEXT,
  subjectName TEXT,
  details TEXT NOT NULL,
  requestId TEXT,
  outcome TEXT NOT NULL
) STRICT;
CREATE INDEX auditLogByActor ON auditLog(actorId, id DESC);
CREATE INDEX auditLogByAction ON auditLog(action, id DESC);
CREATE TRIGGER auditLogKept BEFORE UPDATE ON auditLog
WHEN old.outcome <> 'begun' OR new.outcome = 'begun'
  OR (new.id, new.at, new.actorId, new.actorName, new.actorEmail, new.via, new.keyId, new.keyName, new.keyPrefix,
    new.action, new.details, new.requestId) IS NOT
    (old.id, old.at, old.actorId, old.actorName, old.actorEmail, old.via, old.keyId, old.keyName, old.keyPrefix,
    old.action, old.details, old.requestId)
BEGIN
  SELECT RAISE(ABORT, 'an entry of the audit log is not changed');
END;
`
