// 1: a key with scopes was the last to change the project's instructions, folders or assistant.
export const projectsOfScopedKeys = `
ALTER TABLE projects ADD COLUMN "writtenByScopedKey" INTEGER NOT NULL DEFAULT 0;
`
