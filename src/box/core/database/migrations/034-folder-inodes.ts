// With the device it tells a followed directory from another one that comes to stand at its path. Null until it is looked through.
export const folderInodes = `
ALTER TABLE folders ADD COLUMN inode TEXT;
`
