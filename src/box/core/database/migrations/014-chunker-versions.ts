// Each file records the version of the chunker that created its passages, so that a new version can create them again from stored texts.
export const chunkerVersions = `
ALTER TABLE files ADD COLUMN chunker INTEGER NOT NULL DEFAULT 1;
CREATE INDEX filesByChunker ON files(id, chunker) WHERE status = 'completed';
`
