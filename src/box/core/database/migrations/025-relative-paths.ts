/**
 * Paths in the data directory are stored relative to it, so that the directory can be moved and copied. Its previous location is derived
 * from the folders that the box created (`…/folders/<id>`); without any, it is the location of the database.
 */
export const relativePaths = `
CREATE TEMP TABLE dataDirectories AS
  SELECT DISTINCT substr(path, 1, length(path) - length('/folders/' || id)) AS directory FROM folders WHERE managed = 1
  UNION SELECT dataDirectory();
DELETE FROM dataDirectories WHERE directory = '';
UPDATE folders SET path = 'folders/' || id WHERE managed = 1;
UPDATE settings SET value = json_quote(substr(value ->> '$', length(directory) + 2)) FROM dataDirectories
  WHERE key IN ('chatModel', 'embeddingModel', 'rerankModel') AND json_valid(value) AND json_type(value) = 'text'
    AND substr(value ->> '$', 1, length(directory) + 8) IN (directory || '/models/', directory || '\\models\\');
DROP TABLE dataDirectories;
`
