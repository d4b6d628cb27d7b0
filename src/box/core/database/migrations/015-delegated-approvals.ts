// A delegated task may wait for its owner too: the question says which assistant asks, and for which call.
export const delegatedApprovals = `
ALTER TABLE approvals ADD COLUMN delegation TEXT;
`
