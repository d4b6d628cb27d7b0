const megabyte = 1_000_000

const filled = (unit: string): string => unit.repeat(Math.ceil(megabyte / unit.length)).slice(0, megabyte)
const numbered = (line: (index: number) => string): string => {
  const lines: string[] = []
  for (let length = 0, index = 0; length < megabyte; index++) {
    lines.push(line(index))
    length += (lines.at(-1)?.length ?? 0) + 1
  }
  return lines.join("\n")
}
const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``

/** Texts of one megabyte that are the hardest to parse or to draw as Markdown. */
export const hostileTexts: Record<string, string> = {
  "beginnings of links": filled("[a]("),
  "opening brackets": filled("["),
  "opening and closing brackets": "[".repeat(megabyte / 2) + "]".repeat(megabyte / 2),
  "beginnings of pictures": filled("!["),
  "beginnings of footnotes": filled("[^a]"),
  emphasis: filled("*a* "),
  "emphasis that never ends": filled("**a_ "),
  "emphasis in emphasis": `${"*a **a ".repeat(70_000)}b${"** a*".repeat(70_000)}`,
  "runs of backticks": numbered((index) => `${"`".repeat(index % 400)}a`),
  "angle brackets": filled("<"),
  "beginnings of comments": filled("a <!--"),
  "HTML elements": filled("<b>a</b>"),
  entities: filled("&amp;&#38;"),
  "escaped signs": filled("\\*\\_"),
  "quotes in quotes, 10,000 deep": `${filled("a\n\n").slice(0, -10_000)}\n\n${">".repeat(10_000)}a`,
  "quotes in quotes on every line": numbered(() => `${">".repeat(200)} a`),
  "lists in lists, 10,000 deep": filled(`${"- ".repeat(10_000)}a\n\n`),
  "lists in lists by indentation": numbered((index) => `${"  ".repeat(index % 500)}- a`),
  "a list": numbered((index) => `- item ${String(index)}`),
  "a numbered list": numbered((index) => `${String(index + 1)}. item`),
  headings: filled("# a\n"),
  "one paragraph of words": filled("word "),
  "paragraphs of a letter": filled("a\n\n"),
  "one word": filled("a"),
  "one paragraph of lines": filled("word\n"),
  "line breaks": filled("a  \n"),
  "100,000 definitions": numbered((index) => `[a${String(index)}]: /u`),
  "a table of 10,000 columns": [
    "|a".repeat(10_000),
    "|-".repeat(10_000),
    ...Array.from({ length: 48 }, () => "|a".repeat(10_000)),
  ].join("|\n"),
  "a table of 150,000 rows": `|a|b|\n|-|-|\n${filled("|1|2|\n")}`,
  formulas: filled("$$x$$ "),
  "one formula": `$$${filled("x+")}$$`,
  "a matrix": `$$\\begin{matrix}${filled("a&")}\\end{matrix}$$`,
  "fractions in fractions": numbered(() => `$$${"\\frac{a}{".repeat(300)}b${"}".repeat(300)}$$\n`),
  "macros that call each other": filled("$$\\def\\x{\\x\\x}\\x$$\n\n"),
  "beginnings of formulas": filled("\\( $a "),
  "code in TypeScript": fenced("ts", filled("const a = 'b' + f(1) // c\n")),
  "code in C, short": filled(`${fenced("c", "fn a".repeat(1500))}\n\n`),
  "code in Markdown, short": filled(`${fenced("markdown", "[a](".repeat(1500))}\n\n`),
  "code without an end": `\`\`\`js\n${filled("(a")}`,
  "code of a language with a long name": `\`\`\`${filled("x")}\ncode\n\`\`\``,
  "code in one line": fenced("json", filled("[1,")),
  links: filled("[a](//b.c) [a](https://b.c) "),
  pictures: filled("![a](https://b.c/d) "),
  addresses: filled("https://a.b www.a.b a@b.co "),
  "addresses with underscores": filled(`${"www.a_".repeat(300)}\n\n`),
  "lists in pieces": filled(`${"1) x\n".repeat(380)}\n\n`),
  "ends of lines of old": filled("\réh"),
  citations: filled("[1] [2]. "),
  emoji: filled("👩‍👩‍👧‍👦"),
  "combining marks": filled("a\u0301\u0323\u0302"),
  "marks on one letter": `a${filled("\u0301")}`,
  "joined letters": filled("مـّ"),
  "right to left": filled("שלום مرحبا *a* "),
  "directions that change": filled("\u202Ea\u202D\u2067b"),
  spaces: filled(" \t"),
  "blank lines": filled("\n"),
  ordinary: filled(
    "## Part\n\nSome **words** of a `text` that [leads](https://a.b) somewhere and goes on for a while.\n\n- one\n- two\n\n",
  ),
}
