/** Characters that are read as one piece; more is cut, whatever it is. */
export const longestBlock = 12_000
/** The same of a table, whose short cells become many elements. */
export const longestTable = 4000
/** Characters that one piece takes together once a text is long, so that it doesn't come to hundreds of thousands of pieces. */
export const fullBlock = 2000
/** From here on small blocks share a piece. */
export const longText = 4000
/** Elements and texts that one piece may become; more is shown as plain text. */
export const mostNodes = 4000
/** The same for all pieces of a text: a megabyte of what people and models write comes to 250,000. */
export const mostNodesTogether = 300_000
/** Characters of a word that are laid out together: marks and joined letters take the square of them. */
export const longestWord = 1000
/** Levels of elements in each other; what is deeper stands as text in the deepest. */
export const deepest = 100
/** Pieces of a text that may take too long before all the rest that could is shown as plain text. */
export const mostOverruns = 2
