const unbroken = /(?:^|\s)\S{200}/

/**
 * Whether a text has a word so long that the font's contextual forms and kerning are left out (`no-contextual`): for
 * brackets, hyphens and signs between letters they take the square of the word's length, thousands of them seconds.
 */
export const isUnbroken = (text: string): boolean => unbroken.test(text)
