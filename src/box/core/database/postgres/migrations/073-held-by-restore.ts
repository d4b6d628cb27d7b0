export const heldByRestore = `
ALTER TABLE folders ADD COLUMN "heldPath" text COLLATE "C";
ALTER TABLE "modelServers" ADD COLUMN held bigint NOT NULL DEFAULT 0;
ALTER TABLE "toolServers" ADD COLUMN held bigint NOT NULL DEFAULT 0;
ALTER TABLE automations ADD COLUMN held bigint NOT NULL DEFAULT 0;
`
