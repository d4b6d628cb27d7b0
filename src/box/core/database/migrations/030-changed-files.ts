// Which files a change was begun with, as `fingerprint` tells them: the next start leaves alone what came in their place. Null for
// what an earlier version began.
export const changedFiles = `
ALTER TABLE unfinishedChanges ADD COLUMN fromFile TEXT;
ALTER TABLE unfinishedChanges ADD COLUMN toFile TEXT;
`
