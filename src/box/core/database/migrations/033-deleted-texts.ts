// A part of a full-text index is written anew once so many percent of its rows were deleted. With SQLite's own 10, deleting thousands
// took several times as long, and longer at once.
export const deletedTexts = `
INSERT INTO messageTexts (messageTexts, rank) VALUES ('deletemerge', 50);
INSERT INTO fileNames (fileNames, rank) VALUES ('deletemerge', 50);
`
