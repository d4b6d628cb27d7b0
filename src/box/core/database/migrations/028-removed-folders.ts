// A folder is deleted in one write; its files and passages, which may be many, go afterwards.
export const removedFolders = "ALTER TABLE folders ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;"
