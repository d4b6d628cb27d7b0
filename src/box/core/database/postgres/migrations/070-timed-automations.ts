export const timedAutomations = `ALTER TABLE automations ADD COLUMN "timedAt" text COLLATE "C";`
