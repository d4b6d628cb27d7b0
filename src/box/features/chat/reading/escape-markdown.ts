/**
 * Escapes a foreign text for a line or a cell of Markdown. It can't end the cell, change its format, contain a link, or be read as a
 * citation.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/\[(\s*\d+(?:\s*[,;]\s*\d+)*\s*)\]/g, "($1)")
    .replaceAll(/[\\`*<|~$[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=[#\w]+;)/gu, String.raw`\$&`)
