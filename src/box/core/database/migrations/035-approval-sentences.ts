// What the reason is made of, for other languages. Null where an older version asked.
export const approvalSentences = `
ALTER TABLE approvals ADD COLUMN sentence TEXT;
`
