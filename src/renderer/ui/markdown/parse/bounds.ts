/** Maximum number of characters read as one piece. Longer text is cut, whatever it is. */
export const maxBlockLength = 12_000
/** The same limit for a table, because its short cells become many elements. */
export const maxTableLength = 4000
/** Number of characters that share a piece in a long text, so that it doesn't become hundreds of thousands of pieces. */
export const fullBlock = 2000
/** From this position on, small blocks share a piece. */
export const longText = 4000
/** Maximum number of elements and texts per piece. Larger pieces are shown as plain text. */
export const maxNodes = 4000
/** The same limit for all pieces of a text: a megabyte of usual text by people and models has 250,000. */
export const maxNodesTogether = 300_000
/** Maximum number of characters of a word that are laid out together, because combining marks and joined letters take quadratic time. */
export const maxWordLength = 1000
/** Maximum nesting of elements. Deeper content is shown as text in the deepest level. */
export const deepest = 100
/** Number of pieces of a text that may take too long. After that, its other slow pieces are shown as plain text. */
export const maxOverruns = 2
