// A turn that is being written is stored with its progress if another box may resume it.
export const begunTurns = `
CREATE TABLE begunTurns (
  messageId TEXT PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE,
  turn TEXT NOT NULL,
  progress TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
`
