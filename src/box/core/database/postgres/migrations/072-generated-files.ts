export const generatedFiles = `
ALTER TABLE files ADD COLUMN "generatedBy" text COLLATE "C";
ALTER TABLE "trashedFiles" ADD COLUMN "generatedBy" text COLLATE "C";
ALTER TABLE folders ADD COLUMN "includeGenerated" bigint NOT NULL DEFAULT 0;
`
