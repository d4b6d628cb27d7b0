/**
 * A foreign text as it stands in a line or a cell of Markdown: nothing of it ends the cell, changes how it looks, leads
 * elsewhere, or is taken for a citation.
 */
export const asWords = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/\[(\s*\d+(?:\s*[,;]\s*\d+)*\s*)\]/g, "($1)")
    .replaceAll(/[\\`*<|~$[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=[#\w]+;)/gu, String.raw`\$&`)
