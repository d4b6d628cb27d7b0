// An approval for a server's tool must not apply to another server's tool with the same name.
export const toolIdentities = `
ALTER TABLE approvals ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE rememberedTools ADD COLUMN identity TEXT NOT NULL DEFAULT '';
`
