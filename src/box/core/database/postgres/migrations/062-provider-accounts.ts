export const providerAccounts = `
CREATE TABLE "providerAccounts" (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  "userId" text COLLATE "C" NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  "createdAt" text COLLATE "C" NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX "providerAccountsByUser" ON "providerAccounts"("userId", issuer);
ALTER TABLE "signInTokens" ADD COLUMN "idToken" text COLLATE "C";
ALTER TABLE sessions ADD COLUMN "idToken" text COLLATE "C";
`
