const fenceLine = /^[ \t]*(?:`{3,}|~{3,})[^\n]*$/gm
const tableRule = /^[ \t]*\|?[ \t:]*-[-:| \t]*$/gm
const tableRow = /^[ \t]*\|([^\n]*)\|[ \t]*$/gm
const lineStart = /^[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+|[-*+][ \t]+)?/gm
const link = /!?\[([^\][]*)\]\([^()\s]*\)/g
const code = /`([^`\n]+)`/g
const emphasis = /(?<![\w*])(\*{1,3})(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])/g

/** Returns Markdown as plain text, without the markup of headings, lists, tables, links, code and emphasis. */
export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(fenceLine, "")
    .replaceAll(tableRule, "")
    .replaceAll(tableRow, (_, cells: string) => cells.replaceAll("|", " "))
    .replaceAll(lineStart, "")
    .replaceAll(link, "$1")
    .replaceAll(code, "$1")
    .replaceAll(emphasis, "$2")
