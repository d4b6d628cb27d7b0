// Drives that are mounted below a watched directory: files on an unmounted drive weren't deleted.
export const folderMounts = `
CREATE TABLE folderMounts (
  folderId TEXT NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  device TEXT NOT NULL,
  PRIMARY KEY (folderId, path)
) STRICT, WITHOUT ROWID;
`
