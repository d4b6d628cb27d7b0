// Users' identities at OpenID Connect providers. A token by which a provider signs a user in, and the session, keep the provider's ID
// token.
export const providerAccounts = `
CREATE TABLE providerAccounts (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  userId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT;
CREATE UNIQUE INDEX providerAccountsByUser ON providerAccounts(userId, issuer);
ALTER TABLE signInTokens ADD COLUMN idToken TEXT;
ALTER TABLE sessions ADD COLUMN idToken TEXT;
`
