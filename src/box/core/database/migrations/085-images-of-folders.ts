// Whether the text in images of a folder's documents is read
export const imagesOfFolders = `
ALTER TABLE folders ADD COLUMN images TEXT NOT NULL DEFAULT 'none';
`
