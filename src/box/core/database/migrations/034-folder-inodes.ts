// Together with the device, the inode distinguishes a watched directory from another one that replaces it at its path. Null until the first
// scan.
export const folderInodes = `
ALTER TABLE folders ADD COLUMN inode TEXT;
`
