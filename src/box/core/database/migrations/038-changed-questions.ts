// A queued question is asked as it was read. The revision shows whether it has changed in the meantime.
export const changedQuestions = `
ALTER TABLE queuedQuestions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
`
