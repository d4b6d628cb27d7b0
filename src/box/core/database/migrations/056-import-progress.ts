// The contents of an export before it is imported, the progress and time of an import, and the import that each chat came from.
export const importProgress = `
ALTER TABLE chatImports ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chatImports ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chatImports ADD COLUMN skippedCount INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chatImports ADD COLUMN found TEXT;
ALTER TABLE chatImports ADD COLUMN createdAt TEXT NOT NULL DEFAULT '';
ALTER TABLE chatImports ADD COLUMN endedAt TEXT;
UPDATE chatImports SET createdAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now');
UPDATE chatImports SET endedAt = createdAt WHERE status IN ('completed', 'failed');
CREATE INDEX chatImportsByTime ON chatImports(ownerId, createdAt DESC);

ALTER TABLE conversations ADD COLUMN importId TEXT;
CREATE INDEX conversationsByImport ON conversations(ownerId, importId, updatedAt DESC, id)
  WHERE importId IS NOT NULL;
`
