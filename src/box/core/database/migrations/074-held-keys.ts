// API keys of a restored backup that no owner has confirmed yet.
export const heldKeys = `ALTER TABLE "apiKeys" ADD COLUMN held INTEGER NOT NULL DEFAULT 0;`
