// 1: a question that waits reads files that a model wrote as well.
export const generatedForQuestions = `
ALTER TABLE "queuedQuestions" ADD COLUMN "includeGenerated" INTEGER NOT NULL DEFAULT 0;
`
