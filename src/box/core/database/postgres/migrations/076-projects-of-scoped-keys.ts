export const projectsOfScopedKeys = `
ALTER TABLE projects ADD COLUMN "writtenByScopedKey" bigint NOT NULL DEFAULT 0;
`
