// Descriptions of the images in documents that models wrote, so that an image isn't described again when its document is changed
export const descriptionsOfImages = `
CREATE TABLE pictureDescriptions (
  fileId TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  modelId TEXT NOT NULL,
  text TEXT NOT NULL,
  usedAt TEXT NOT NULL,
  PRIMARY KEY (fileId, hash, modelId)
) STRICT;
CREATE INDEX pictureDescriptionsByUse ON pictureDescriptions(usedAt);
`
