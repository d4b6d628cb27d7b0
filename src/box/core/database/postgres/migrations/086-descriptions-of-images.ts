export const descriptionsOfImages = `
CREATE TABLE "pictureDescriptions" (
  "fileId" text COLLATE "C" NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL,
  "modelId" text COLLATE "C" NOT NULL,
  text text COLLATE "C" NOT NULL,
  "usedAt" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("fileId", hash, "modelId")
);
CREATE INDEX "pictureDescriptionsByUse" ON "pictureDescriptions"("usedAt");
`
