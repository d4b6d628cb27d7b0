/** Longer pieces stay text, because searching for the ends of unclosed formulas takes long. */
const maxPieceLength = 20_000

const code = /(?<fence>`{3,}|~{3,})[\s\S]*?(?:\k<fence>|$)|(?<ticks>`+)(?:(?!\k<ticks>)[\s\S])+?\k<ticks>/
const ownLine =
  /(?<=^|\n)(?<indent>[ \t]*)(?:\\\[(?<bracketed>(?:(?!\\\[)[\s\S])+?)\\\]|\$\$(?<dollars>[^$]+?)\$\$)[ \t]*(?=\n|$)/
const inlineFormula =
  /\\\[(?<display>(?:(?!\\\[)[\s\S])+?)\\\]|\\\((?<inline>(?:(?!\\\()[\s\S])+?)\\\)|\$\$[^$]+\$\$|(?<![\\$\w])\$(?![\s$])(?<dollar>(?:\\.|[^$\\\n])+?)(?<!\s)\$(?![\d\w$])/
const formula = new RegExp([code, ownLine, inlineFormula].map(({ source }) => source).join("|"), "g")
const sign = /\$|\\[([]|`{3}math/

/** Whether the text may contain a formula. */
export const mayHaveMaths = (markdown: string): boolean =>
  sign.test(markdown) && markdown.length <= maxPieceLength

/** Whether the text contains a formula, not only a price. Only for pieces that are cheap to read. */
export const hasMaths = (markdown: string): boolean =>
  mayHaveMaths(markdown) && /\$\$|`{3}math/.test(unifyMaths(markdown))

/**
 * Rewrites the notations that models use for formulas (`\(x\)`, `\[x\]`, `$x$`) to the one that is read, `$$x$$`. Single dollars follow
 * Pandoc's rules, so that prices stay prices. Code stays unchanged.
 */
export function unifyMaths(markdown: string): string {
  return markdown.replace(formula, (found: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>
    const alone = groups["bracketed"] ?? groups["dollars"]
    if (alone !== undefined) return toStandaloneMaths(alone, groups["indent"] ?? "")
    if (groups["display"] !== undefined) return `$$\\displaystyle ${oneLine(groups["display"])}$$`
    const within = groups["inline"] ?? groups["dollar"]
    return within === undefined ? found : `$$${oneLine(within)}$$`
  })
}

const oneLine = (tex: string): string => tex.trim().replaceAll("\n", " ")

function toStandaloneMaths(tex: string, indent: string): string {
  const lines = tex.split("\n").filter((line) => line.trim() !== "")
  return ["$$", ...lines.map((line) => line.trim()), "$$"].map((line) => indent + line).join("\n")
}
