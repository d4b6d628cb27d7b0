export const wordsOfScopedKeys = `
ALTER TABLE memories ADD COLUMN "writtenByScopedKey" bigint NOT NULL DEFAULT 0;
ALTER TABLE assistants ADD COLUMN "writtenByScopedKey" bigint NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN "writtenByScopedKey" bigint NOT NULL DEFAULT 0;
`
