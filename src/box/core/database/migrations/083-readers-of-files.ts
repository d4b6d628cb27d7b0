// The readers with which files were read, whether parts are missing, and how people want them read. `readers` is null for all existing files,
// which are therefore read again. Notes with these codes are about files whose whole text is there.
const codes = ["characters_damaged", "encoding_doubtful", "pages_by_ocr", "rows_repaired"]
const others = codes.reduce((text, code) => `replace(${text}, '"code":"${code}"', '')`, "reasons")

export const readersOfFiles = `
ALTER TABLE files ADD COLUMN readers TEXT;
ALTER TABLE files ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN "readAs" TEXT;
UPDATE files SET partial = 1 WHERE status = 'completed' AND ${others} LIKE '%"code":%';
UPDATE files SET partial = 2 WHERE status = 'completed' AND reasons LIKE '%"code":"no_text"%';
CREATE INDEX "filesByReaders" ON files("folderId", readers, status) WHERE status IN ('completed', 'failed') AND storage = 'local';
CREATE INDEX "partialFiles" ON files("folderId", partial) WHERE status = 'completed' AND partial > 0;
`
