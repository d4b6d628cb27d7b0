// Remote servers whose models the box uses; their keys are in the secret store.
export const modelServers = `
CREATE TABLE modelServers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  givenModels TEXT NOT NULL,
  models TEXT NOT NULL,
  state TEXT NOT NULL,
  problem TEXT,
  createdAt TEXT NOT NULL
) STRICT;
`
