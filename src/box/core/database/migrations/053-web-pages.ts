// Files that are copies of web pages, and when the next is fetched again; files that their owner left out of the index.
export const webPages = `
ALTER TABLE files ADD COLUMN webPage TEXT;
ALTER TABLE files ADD COLUMN refreshAt TEXT;
ALTER TABLE files ADD COLUMN leftOut INTEGER NOT NULL DEFAULT 0;
CREATE INDEX filesRefresh ON files (refreshAt) WHERE refreshAt IS NOT NULL;
`
