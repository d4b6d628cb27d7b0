// Documents whose text is searchable while their scanned pages wait for OCR, and files that are retried later.
export const waitingPages = `
ALTER TABLE files ADD COLUMN waitingPages TEXT;
ALTER TABLE files ADD COLUMN retryAt TEXT;
CREATE INDEX filesToRetry ON files(retryAt) WHERE retryAt IS NOT NULL;
`
