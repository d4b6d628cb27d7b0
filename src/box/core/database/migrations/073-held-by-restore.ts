// Items that were on in a restored backup and that no owner has turned on since. Until then, a folder's path is stored in another column.
export const heldByRestore = `
ALTER TABLE folders ADD COLUMN "heldPath" TEXT;
ALTER TABLE "modelServers" ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "toolServers" ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE automations ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
`
