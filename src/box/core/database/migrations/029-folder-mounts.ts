// Drives that are mounted somewhere below a followed directory: what lay on one that isn't there wasn't deleted.
export const folderMounts = `
CREATE TABLE folderMounts (
  folderId TEXT NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  device TEXT NOT NULL,
  PRIMARY KEY (folderId, path)
) STRICT, WITHOUT ROWID;
`
