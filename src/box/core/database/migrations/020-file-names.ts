// Search of files by name. `namedFiles` gives each file a number that, unlike a rowid, doesn't change when the database is copied.
export const fileNames = `
CREATE TABLE namedFiles (
  id INTEGER PRIMARY KEY,
  fileId TEXT NOT NULL UNIQUE
) STRICT;
CREATE VIRTUAL TABLE fileNames USING fts5(
  name, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);
INSERT INTO namedFiles (fileId) SELECT id FROM files ORDER BY id;
INSERT INTO fileNames (rowid, name)
  SELECT named.id, name FROM namedFiles named JOIN files ON files.id = fileId;

CREATE TRIGGER fileAdded AFTER INSERT ON files BEGIN
  INSERT INTO namedFiles (fileId) VALUES (new.id);
  INSERT INTO fileNames (rowid, name) SELECT id, new.name FROM namedFiles WHERE fileId = new.id;
END;
CREATE TRIGGER fileRenamed AFTER UPDATE OF name ON files WHEN new.name <> old.name BEGIN
  DELETE FROM fileNames WHERE rowid = (SELECT id FROM namedFiles WHERE fileId = new.id);
  INSERT INTO fileNames (rowid, name) SELECT id, new.name FROM namedFiles WHERE fileId = new.id;
END;
CREATE TRIGGER fileRemoved AFTER DELETE ON files BEGIN
  DELETE FROM fileNames WHERE rowid = (SELECT id FROM namedFiles WHERE fileId = old.id);
  DELETE FROM namedFiles WHERE fileId = old.id;
END;
`
