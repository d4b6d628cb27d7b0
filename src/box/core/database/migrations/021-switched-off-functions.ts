export const switchedOffFunctions = `
ALTER TABLE toolServers ADD COLUMN offTools TEXT NOT NULL DEFAULT '[]';
`
