export const datesOfFiles = `
ALTER TABLE files ADD COLUMN "contentMs" double precision;
ALTER TABLE files ADD COLUMN people text COLLATE "C";
ALTER TABLE messages ADD COLUMN filter text COLLATE "C";
ALTER TABLE "queuedQuestions" ADD COLUMN filter text COLLATE "C";
`
