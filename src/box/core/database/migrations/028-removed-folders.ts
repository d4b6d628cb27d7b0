// A folder is deleted in one write. Its files and passages, which may be many, are removed afterwards.
export const removedFolders = "ALTER TABLE folders ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;"
