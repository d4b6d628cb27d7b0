// Messages about files have codes. Files that waited for OCR are read again, because their notes had no codes.
export const fileReasons = `
ALTER TABLE files ADD COLUMN reasons TEXT;
UPDATE files SET status = 'queued', phase = 'queued', progress = 0, waitingPages = NULL
  WHERE waitingPages IS NOT NULL OR (status = 'queued' AND phase = 'ocr');
`
