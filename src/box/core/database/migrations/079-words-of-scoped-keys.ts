// 1: a key with scopes was the last to write the fact or the assistant, or wrote a question of the chat.
export const wordsOfScopedKeys = `
ALTER TABLE memories ADD COLUMN "writtenByScopedKey" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE assistants ADD COLUMN "writtenByScopedKey" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN "writtenByScopedKey" INTEGER NOT NULL DEFAULT 0;
`
