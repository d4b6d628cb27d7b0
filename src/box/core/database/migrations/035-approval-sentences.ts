// The parts of the reason, for translation. Null in approvals of an older version.
export const approvalSentences = `
ALTER TABLE approvals ADD COLUMN sentence TEXT;
`
