// Folders that no remote model may read, and the folders that each chat has read, because the chat may not be sent to a remote model
// either. Stored JSON that can't be parsed is ignored.
export const foldersThatStay = `
ALTER TABLE folders ADD COLUMN remote TEXT NOT NULL DEFAULT 'allowed';
ALTER TABLE conversations ADD COLUMN readVectorIds TEXT NOT NULL DEFAULT '[]';
ALTER TABLE conversations ADD COLUMN staysHere INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET readVectorIds = (
  SELECT json_group_array(vectorId) FROM (
    SELECT value AS vectorId
    FROM json_each(iif(json_valid(conversations.vectorIds), conversations.vectorIds, '[]'))
    UNION
    SELECT json_extract(source.value, '$.vectorId')
    FROM messages, json_each(iif(json_valid(messages.parts), messages.parts, '[]')) AS source
    WHERE messages.ownerId = conversations.ownerId AND messages.conversationId = conversations.id
      AND iif(source.type = 'object', json_extract(source.value, '$.type'), NULL) = 'source'
  ) WHERE vectorId IS NOT NULL
)
WHERE vectorIds <> '[]' OR EXISTS (
  SELECT 1 FROM messages WHERE messages.ownerId = conversations.ownerId
    AND messages.conversationId = conversations.id AND messages.parts LIKE '%"vectorId"%'
);
`
