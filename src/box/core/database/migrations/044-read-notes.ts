// Models' notes about parts of files, for a question, so that no one pays for them twice. A note is deleted with any of its files.
export const readNotes = `
CREATE TABLE readNotes (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  model TEXT NOT NULL,
  question BLOB NOT NULL,
  notes TEXT NOT NULL,
  characters INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  usedAt TEXT NOT NULL
) STRICT;
CREATE INDEX readNotesByModel ON readNotes(model, id);
CREATE INDEX readNotesByUse ON readNotes(usedAt);
CREATE TABLE readNoteFiles (
  fileId TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  noteId INTEGER NOT NULL REFERENCES readNotes(id) ON DELETE CASCADE,
  PRIMARY KEY (fileId, noteId)
) STRICT, WITHOUT ROWID;
CREATE INDEX readNoteFilesByNote ON readNoteFiles(noteId);
CREATE TRIGGER readNoteFilesDeleted AFTER DELETE ON readNoteFiles BEGIN
  DELETE FROM readNotes WHERE id = OLD.noteId;
END;
`
