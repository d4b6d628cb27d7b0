// Whoever asks a question asks it as it was read; one that was changed meanwhile isn't that any more.
export const changedQuestions = `
ALTER TABLE queuedQuestions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
`
