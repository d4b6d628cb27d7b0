// The date that a file's content states, its senders and recipients, and the filter of a question and of a queued one; null: none.
export const datesOfFiles = `
ALTER TABLE files ADD COLUMN "contentMs" REAL;
ALTER TABLE files ADD COLUMN people TEXT;
ALTER TABLE messages ADD COLUMN filter TEXT;
ALTER TABLE "queuedQuestions" ADD COLUMN filter TEXT;
`
