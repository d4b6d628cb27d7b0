export const heldKeys = `ALTER TABLE "apiKeys" ADD COLUMN held bigint NOT NULL DEFAULT 0;`
