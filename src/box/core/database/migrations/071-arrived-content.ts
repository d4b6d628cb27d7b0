// The hash of the content that was indexed last, so that indexing the same bytes again triggers nothing. A file that was moved or
// temporarily excluded has a higher revision with the same content.
export const arrivedContent = `
ALTER TABLE files ADD COLUMN arrivedHash TEXT;
DROP TRIGGER fileArrived;
UPDATE files SET arrivedRevision = revision, arrivedHash = contentHash WHERE status = 'completed';
CREATE TRIGGER fileArrived AFTER UPDATE OF arrivedRevision ON files
WHEN new.arrivedRevision > old.arrivedRevision AND EXISTS (SELECT 1 FROM awaitedFolders WHERE folderId = new.folderId) BEGIN
  INSERT INTO fileArrivals (folderId, fileId, revision, isNew)
  VALUES (new.folderId, new.id, new.arrivedRevision, old.arrivedRevision = 0);
END;
`
