// Transactions that counted the same items waited for each other, in whatever order they came, so that two of them could wait for one
// another until PostgreSQL ended one ("deadlock detected"). Now each statement adds a row with the change, which waits for no one, and
// views add the changes up. One statement in ten, on average, replaces the changes that no one else has locked by their sum.

interface Counts {
  /** The view of the sums. It has the name of the table that it replaces. */
  name: string
  /** The table of the changes. */
  changes: string
  keys: readonly string[]
  /** The column of the sum, and what a row of `items` adds to it. */
  sum: string
  adds: string
  items: string
  /** Which items are counted. */
  where: string
  /** The table that the first key refers to. The changes disappear with its row. */
  owners: string
  /** The previous trigger and its function. */
  trigger: string
  fn: string
}

const each = ({ name, changes, keys, sum, adds, items, where, owners, trigger, fn }: Counts): string => {
  const columns = keys.join(", ")
  const [owner] = keys
  const rows = (from: string, sign: "" | "-") =>
    `SELECT ${columns}, ${sign}${adds} AS change FROM ${from} WHERE ${where}`
  // A deleted owner's items are deleted after it; their changes would refer to nothing.
  const add = (items: string) => `
    INSERT INTO ${changes} (${columns}, ${sum}) SELECT ${columns}, sum(change) FROM (${items}) AS items
      WHERE EXISTS (SELECT FROM ${owners} WHERE id = items.${owner}) GROUP BY ${columns} HAVING sum(change) <> 0;`
  const compact = (from: string) => `
    IF random() < 0.1 THEN
      WITH summed AS (DELETE FROM ${changes} WHERE ctid IN (
        SELECT ctid FROM ${changes} WHERE ${owner} IN (SELECT ${owner} FROM ${from}) FOR UPDATE SKIP LOCKED) RETURNING *)
      INSERT INTO ${changes} (${columns}, ${sum}) SELECT ${columns}, sum(${sum}) FROM summed GROUP BY ${columns};
    END IF;`
  return `
DROP TRIGGER ${trigger} ON ${items};
DROP FUNCTION ${fn}();
ALTER TABLE ${name} RENAME TO ${changes};
ALTER TABLE ${changes} DROP CONSTRAINT ${name.slice(0, -1)}_pkey";
CREATE INDEX ${changes.slice(0, -1)}ByOwner" ON ${changes}(${owner});
CREATE VIEW ${name} AS SELECT ${columns}, sum(${sum})::bigint AS ${sum} FROM ${changes} GROUP BY ${columns};

CREATE FUNCTION ${fn}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN${add(rows("after", ""))}${compact("after")}
  ELSIF TG_OP = 'DELETE' THEN${add(rows("before", "-"))}
  ELSE${add(`${rows("after", "")} UNION ALL ${rows("before", "-")}`)}${compact("after")}
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ${trigger} AFTER INSERT ON ${items}
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION ${fn}();
CREATE TRIGGER ${trigger.slice(0, -1)}Again" AFTER UPDATE ON ${items}
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION ${fn}();
CREATE TRIGGER ${trigger.slice(0, -1)}Down" AFTER DELETE ON ${items}
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION ${fn}();
`
}

const counted: readonly Counts[] = [
  {
    name: '"notificationCounts"',
    changes: '"notificationCountChanges"',
    keys: ['"userId"', "category", "read", "muted"],
    sum: "amount",
    adds: "1",
    items: "notifications",
    where: "true",
    owners: "users",
    trigger: '"notificationCounted"',
    fn: '"countNotification"',
  },
  {
    name: '"fileCounts"',
    changes: '"fileCountChanges"',
    keys: ['"folderId"', "status"],
    sum: "amount",
    adds: "1",
    items: "files",
    where: "true",
    owners: "folders",
    trigger: '"fileCounted"',
    fn: '"countFile"',
  },
  {
    name: '"folderSizes"',
    changes: '"folderSizeChanges"',
    keys: ['"folderId"'],
    sum: "bytes",
    adds: "size",
    items: "files",
    where: "true",
    owners: "folders",
    trigger: '"fileMeasured"',
    fn: '"measureFile"',
  },
  {
    name: '"conversationCounts"',
    changes: '"conversationCountChanges"',
    keys: ['"ownerId"', "origin", "pinned"],
    sum: "amount",
    adds: "1",
    items: "conversations",
    where: "removed = 0",
    owners: "users",
    trigger: '"conversationCounted"',
    fn: '"countConversation"',
  },
]

export const countsWithoutLocks = counted.map(each).join("")
