// 1: a queued question also reads files that a model wrote.
export const generatedForQuestions = `
ALTER TABLE "queuedQuestions" ADD COLUMN "includeGenerated" INTEGER NOT NULL DEFAULT 0;
`
