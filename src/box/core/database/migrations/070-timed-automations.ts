// When the next time of an automation was looked up: only where the clock is behind that, there may be an earlier one.
export const timedAutomations = `ALTER TABLE automations ADD COLUMN "timedAt" TEXT;`
