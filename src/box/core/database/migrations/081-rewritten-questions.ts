// How a queued question is searched for, and the source of the query of an answer.
export const rewrittenQuestions = `
ALTER TABLE "queuedQuestions" ADD COLUMN rewrite TEXT NOT NULL DEFAULT 'auto';
ALTER TABLE retrievals ADD COLUMN "querySource" TEXT NOT NULL DEFAULT 'question';
`
