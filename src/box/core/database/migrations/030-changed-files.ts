// Fingerprints (`fingerprint`) of the files at the start of a change: the next start leaves files alone that have replaced them. Null if an
// earlier version started the change.
export const changedFiles = `
ALTER TABLE unfinishedChanges ADD COLUMN fromFile TEXT;
ALTER TABLE unfinishedChanges ADD COLUMN toFile TEXT;
`
