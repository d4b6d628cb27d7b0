// An unfinished answer is stored in pieces, each written once; they become its message when it ends. Each piece is a JSON array of the
// parts since the previous piece.
export const answerPieces = `
CREATE TABLE answerPieces (
  id INTEGER PRIMARY KEY,
  messageId TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  parts TEXT NOT NULL
) STRICT;
CREATE INDEX answerPiecesByMessage ON answerPieces(messageId);
`
