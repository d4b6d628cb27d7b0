// What is said about files has codes; what waited for OCR is read anew, because its notes had none.
export const fileReasons = `
ALTER TABLE files ADD COLUMN reasons TEXT;
UPDATE files SET status = 'queued', phase = 'queued', progress = 0, waitingPages = NULL
  WHERE waitingPages IS NOT NULL OR (status = 'queued' AND phase = 'ocr');
`
