export const arrivedContent = `
ALTER TABLE files ADD COLUMN "arrivedHash" text COLLATE "C";
DROP TRIGGER "fileArrived" ON files;
UPDATE files SET "arrivedRevision" = revision, "arrivedHash" = "contentHash" WHERE status = 'completed';
CREATE TRIGGER "fileArrived" AFTER UPDATE OF "arrivedRevision" ON files
FOR EACH ROW WHEN (new."arrivedRevision" > old."arrivedRevision") EXECUTE FUNCTION "noteArrival"();
`
