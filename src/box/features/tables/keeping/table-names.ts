const maxNameLength = 60

/** Words that SQLite reserves wherever a table name may appear. */
const reserved = new Set(
  (
    "add all alter and as autoincrement between case check collate commit constraint create cross current_date current_time " +
    "current_timestamp default deferrable delete distinct drop else escape except exists foreign from full group having in index " +
    "indexed inner insert intersect into is isnull join left limit natural not nothing notnull null on or order outer primary " +
    "references returning right select set table then to transaction union unique update using values when where with " +
    "window over filter"
  ).split(" "),
)
const german: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" }

/** Returns a name that SQL accepts without quotes: letters of any script, digits and underscores, and no reserved word. */
function identifier(words: readonly string[]): string {
  const plain = words
    .join(" ")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => german[letter] ?? letter)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, (rest) => (/^\p{M}+$/u.test(rest) ? "" : "_"))
    .replace(/^_+|_+$/g, "")
  const short = Array.from(plain).slice(0, maxNameLength).join("").replace(/_+$/, "")
  return short === "" || /^\p{N}|^sqlite_/u.test(short) || reserved.has(short)
    ? `t_${short}`.replace(/_$/, "able")
    : short
}

/** Returns a table name that is unused in the folder. */
export function chooseTableName(fileName: string, sheet: string | null, taken: ReadonlySet<string>): string {
  const stem = fileName.replace(/\.[^.]*$/, "")
  const wanted = identifier(sheet === null ? [stem] : [stem, sheet])
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`
  return name
}
