import { z } from "zod"
import { atMost } from "./primitives.ts"
import { issue, wrong } from "./wrong.ts"

const Day = z.iso.date(wrong("day")).meta({ description: "A calendar day in UTC, included" })

const someOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(50).optional()

const text = (max: number) => atMost(max, z.string().trim().min(1))

/** Maximum number of globs that the braces of one stand for. */
const maxAlternatives = 100

/** Whether a text is a glob on a path inside a folder: with closed brackets and braces, and without a way out of the folder. */
export function isGlob(glob: string): boolean {
  if (/^\/|[\\\0]|(?:^|\/)\.\.?(?:\/|$)/.test(glob)) return false
  const groups = glob.match(/\{[^{}]*\}/g) ?? []
  if (groups.reduce((count, group) => count * group.split(",").length, 1) > maxAlternatives) return false
  const open = { "[": 0, "{": 0 }
  for (const sign of glob) {
    if (sign === "[" || sign === "{") {
      if (++open[sign] > 1 || open["["] + open["{"] > 2) return false
    } else if (sign === "]") open["["] = Math.max(0, open["["] - 1)
    else if (sign === "}" && --open["{"] < 0) return false
  }
  return open["["] === 0 && open["{"] === 0
}

/** Which files of the folders are searched and read. */
export const FileFilter = z
  .strictObject({
    types: someOf(z.string().regex(/^\.?[\p{L}\p{N}_+-]{1,16}$/u, wrong("file_type"))).meta({
      description:
        "Extensions such as `pdf`, or the groups `code`, `image`, `mail`, `presentation` and `spreadsheet`.",
    }),
    tags: someOf(text(40)).meta({ description: "Tags of files, in any case." }),
    from: Day.optional().meta({ description: "First day that the file's `date` may have, as `2026-05-01`." }),
    to: Day.optional().meta({ description: "Last day that the file's `date` may have, as `2026-05-31`." }),
    path: text(500).refine(isGlob, wrong("glob")).optional().meta({
      description: "Glob for the path inside the folder, in any case, such as `Contracts/**` or `**/*.pdf`.",
    }),
    people: someOf(text(200)).meta({
      description: "Email addresses, or words of names and addresses, of senders and recipients of emails.",
    }),
  })
  .check(({ value: { from, to }, issues }) => {
    if (from !== undefined && to !== undefined && from > to)
      issues.push({ path: ["to"], input: to, ...issue("day_before_from") })
  })
  .meta({
    id: "FileFilter",
    description:
      "Which files are searched and read. A file must match every condition, and at least one entry of each list.",
  })
export type FileFilter = z.infer<typeof FileFilter>

/** Whether the filter has any condition. */
export const narrows = (filter: FileFilter | null | undefined): filter is FileFilter =>
  Object.values(filter ?? {}).some((condition) => condition !== undefined)
