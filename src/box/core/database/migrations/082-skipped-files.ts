// Files of unsupported kinds are examined again, because this version reads more kinds. Those that their owner excluded stay excluded.
export const skippedFiles = `
UPDATE files SET status = 'queued', phase = 'queued', progress = 0, error = NULL, note = NULL, reasons = NULL, attempts = 0
  WHERE status = 'skipped' AND "leftOut" = 0;
`
