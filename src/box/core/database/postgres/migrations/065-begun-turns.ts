export const begunTurns = `
CREATE TABLE "begunTurns" (
  "messageId" text COLLATE "C" PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE,
  turn text COLLATE "C" NOT NULL,
  progress text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL DEFAULT 0
);
`
