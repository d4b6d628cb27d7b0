// Integrations and MCP servers that a user configured or connected. Their credentials are in the secret store.
export const toolServers = `
CREATE TABLE toolServers (
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  target TEXT NOT NULL,
  linkedAt TEXT,
  signedOut INTEGER NOT NULL,
  approved TEXT NOT NULL,
  offer TEXT NOT NULL,
  readTools TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (ownerId, key)
) STRICT;
`
