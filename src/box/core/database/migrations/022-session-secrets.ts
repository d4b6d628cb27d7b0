export const sessionSecrets = `
-- Sessions from before were proven by their cookie alone, which every port of the computer gets.
DELETE FROM sessions;
ALTER TABLE sessions ADD COLUMN secretHash BLOB NOT NULL DEFAULT x'';
`
