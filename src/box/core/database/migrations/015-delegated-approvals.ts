// A delegated task can also wait for its owner: the approval names the assistant that asks, and for which call.
export const delegatedApprovals = `
ALTER TABLE approvals ADD COLUMN delegation TEXT;
`
