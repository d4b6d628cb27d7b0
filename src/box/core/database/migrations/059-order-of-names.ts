// Natural order of names: ignoring case, and with "file2" before "file10". Each number is preceded by its length in two digits, as
// `nameOrder` in features/files/file-entry.ts writes it.
const digits = "0123456789"
const masked = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].reduce(
  (name, digit) => `replace(${name}, '${digit}', '0')`,
  "searchName",
)
const number = `ltrim(substr(rest, 1, length(rest) - length(ltrim(rest, '${digits}'))), '0')`
const beginsWithNumber = "instr(mask, '0') = 1"

export const orderOfNames = `
ALTER TABLE files ADD COLUMN nameOrder TEXT NOT NULL DEFAULT '';

WITH RECURSIVE walk(id, rest, mask, written) AS (
  SELECT id, searchName, ${masked}, '' FROM files
  UNION ALL
  SELECT id,
    iif(${beginsWithNumber}, ltrim(rest, '${digits}'), substr(rest, instr(mask, '0'))),
    iif(${beginsWithNumber}, ltrim(mask, '0'), substr(mask, instr(mask, '0'))),
    written || iif(${beginsWithNumber}, printf('%02d', length(${number})) || ${number},
      substr(rest, 1, instr(mask, '0') - 1))
  FROM walk WHERE instr(mask, '0') > 0
)
UPDATE files SET nameOrder = written || rest FROM walk WHERE walk.id = files.id AND instr(mask, '0') = 0;

CREATE INDEX filesByName ON files(folderId, nameOrder, id);
`
