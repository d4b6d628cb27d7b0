// Folders that no model elsewhere may read; and of each conversation, which folders it has read, for it may not be sent there either.
export const foldersThatStay = `
ALTER TABLE folders ADD COLUMN remote TEXT NOT NULL DEFAULT 'allowed';
ALTER TABLE conversations ADD COLUMN readVectorIds TEXT NOT NULL DEFAULT '[]';
ALTER TABLE conversations ADD COLUMN staysHere INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET readVectorIds = (
  SELECT json_group_array(vectorId) FROM (
    SELECT value AS vectorId FROM json_each(conversations.vectorIds)
    UNION
    SELECT json_extract(part.value, '$.vectorId') FROM messages, json_each(messages.parts) AS part
    WHERE messages.ownerId = conversations.ownerId AND messages.conversationId = conversations.id
      AND json_extract(part.value, '$.type') = 'source'
  )
)
WHERE vectorIds <> '[]' OR EXISTS (
  SELECT 1 FROM messages WHERE messages.ownerId = conversations.ownerId
    AND messages.conversationId = conversations.id AND messages.parts LIKE '%"vectorId"%'
);
`
