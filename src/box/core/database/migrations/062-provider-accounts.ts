// Who somebody is at an OpenID Connect provider; a token by which a provider signs in, and its session, keep what the provider said.
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
