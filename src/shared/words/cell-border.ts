/** What stands between two cells in the text of a table's row. Around an empty cell, two of them share a space. */
export const cellBorder = /(?:^| |(?<= ))\|(?: |$)/g
