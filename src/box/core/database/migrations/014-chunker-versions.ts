// Passages know which version of the chunker cut them, so that a new one can make them anew from stored texts.
export const chunkerVersions = `
ALTER TABLE files ADD COLUMN chunker INTEGER NOT NULL DEFAULT 1;
CREATE INDEX filesByChunker ON files(id, chunker) WHERE status = 'completed';
`
