// What was allowed for a server's function must not hold for another server's function of the same name.
export const toolIdentities = `
ALTER TABLE approvals ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE rememberedTools ADD COLUMN identity TEXT NOT NULL DEFAULT '';
`
