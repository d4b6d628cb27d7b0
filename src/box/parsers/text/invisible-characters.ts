/** Characters that are never meant to be seen: soft hyphens, zero-width spaces, word joiners and byte order marks. */
const invisible = /[\u00ad\u200b\u2060-\u2064\ufeff]/g
/** Joiners after these characters have no effect. Elsewhere they form emoji and the words of Persian and Indic scripts. */
const uselessJoiner =
  /(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}0-9])[\u200c\u200d]+/gu
/** Direction marks inside a word don't change how it is shown. */
const uselessMark = /(?<=[\p{L}\p{N}])[\u200e\u200f\u202a-\u202e\u2066-\u2069]+(?=[\p{L}\p{N}])/gu
const suspected = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/

/** Removes the invisible characters that would keep a search from finding the words that contain them. */
export function removeInvisible(text: string): string {
  if (!suspected.test(text)) return text
  return text.replace(invisible, "").replace(uselessJoiner, "").replace(uselessMark, "")
}
