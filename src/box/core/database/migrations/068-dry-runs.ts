// Chats that started as a dry run of an automation: nothing is sent or changed in them.
export const dryRuns = `
ALTER TABLE conversations ADD COLUMN dryRun INTEGER NOT NULL DEFAULT 0;
`
