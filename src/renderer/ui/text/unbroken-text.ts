const unbroken = /(?:^|\s)\S{200}/

/**
 * Whether a text has a word so long that the font's contextual forms and kerning must be switched off (`no-contextual`). For brackets,
 * hyphens and symbols between letters, they take quadratic time in the length of the word: seconds for thousands of characters.
 */
export const isUnbroken = (text: string): boolean => unbroken.test(text)
