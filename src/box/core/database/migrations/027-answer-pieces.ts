// An answer that is being written is stored in pieces, each once; they become its message when it ends. Each is a JSON
// array of parts: what came since the piece before.
export const answerPieces = `
CREATE TABLE answerPieces (
  id INTEGER PRIMARY KEY,
  messageId TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  parts TEXT NOT NULL
) STRICT;
CREATE INDEX answerPiecesByMessage ON answerPieces(messageId);
`
