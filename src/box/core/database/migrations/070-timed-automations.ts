// When the next run of an automation was determined. An earlier run is possible only if the clock is now behind that time.
export const timedAutomations = `ALTER TABLE automations ADD COLUMN "timedAt" TEXT;`
