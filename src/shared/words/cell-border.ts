/** The separator between two cells in the text of a table row. Around an empty cell, two separators share a space. */
export const cellBorder = /(?:^| |(?<= ))\|(?: |$)/g
