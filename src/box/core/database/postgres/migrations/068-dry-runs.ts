export const dryRuns = `
ALTER TABLE conversations ADD COLUMN "dryRun" integer NOT NULL DEFAULT 0;
`
