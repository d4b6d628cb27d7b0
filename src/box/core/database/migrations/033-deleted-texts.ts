// A segment of a full-text index is rewritten when this percentage of its rows was deleted. With SQLite's default of 10, deleting thousands
// of rows took several times as long, with longer pauses.
export const deletedTexts = `
INSERT INTO messageTexts (messageTexts, rank) VALUES ('deletemerge', 50);
INSERT INTO fileNames (fileNames, rank) VALUES ('deletemerge', 50);
`
