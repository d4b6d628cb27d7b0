export const generatedForQuestions = `
ALTER TABLE "queuedQuestions" ADD COLUMN "includeGenerated" bigint NOT NULL DEFAULT 0;
`
