// Projects, and the deleted project that a chat was in, while the project can be restored.
export const projects = `
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  instructions TEXT NOT NULL,
  vectorIds TEXT NOT NULL,
  assistantId TEXT,
  removed INTEGER NOT NULL DEFAULT 0,
  createdAt TEXT NOT NULL
) STRICT;
CREATE INDEX projectsByOwner ON projects(ownerId, createdAt DESC);

ALTER TABLE conversations ADD COLUMN removedProjectId TEXT;
CREATE INDEX conversationsByProject ON conversations(ownerId, projectId, updatedAt DESC, id)
  WHERE projectId IS NOT NULL;
CREATE INDEX conversationsByRemovedProject ON conversations(removedProjectId) WHERE removedProjectId IS NOT NULL;

ALTER TABLE queuedQuestions ADD COLUMN projectId TEXT;
`
