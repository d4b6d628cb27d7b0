// What a restored backup brought and no owner has turned on since. A folder's path is kept apart until then, so that nothing finds it.
export const heldByRestore = `
ALTER TABLE folders ADD COLUMN "heldPath" TEXT;
ALTER TABLE "modelServers" ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "toolServers" ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE automations ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
`
