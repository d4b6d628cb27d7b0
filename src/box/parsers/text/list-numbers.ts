/** Precedes a paragraph with a bullet. */
export const bullet = "- "

const romans: readonly [number, string][] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
]
const maxRoman = 3999
/** After this many letters, a number is clearer. */
const maxLetters = 10
const alphabets: Record<string, string> = {
  letter: "abcdefghijklmnopqrstuvwxyz",
  russian: "абвгдежзиклмнопрстуфхцчшщыэюя",
}
const units = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen"
).split(" ")
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ")
const ordinals: Record<string, string> = {
  one: "first",
  two: "second",
  three: "third",
  five: "fifth",
  eight: "eighth",
  nine: "ninth",
  twelve: "twelfth",
}
const eastAsianDigits = "〇一二三四五六七八九"

/** Writes a number in a format of Word (ECMA-376 part 1, 17.18.59); in digits if the format is rare. */
export function formatNumber(number: number, format: string, examples = ""): string {
  switch (format) {
    case "none":
    case "bullet":
      return ""
    case "lowerRoman":
      return getRoman(number)
    case "upperRoman":
      return getRoman(number).toUpperCase()
    case "lowerLetter":
      return getLetters(number, "letter")
    case "upperLetter":
      return getLetters(number, "letter").toUpperCase()
    case "russianLower":
      return getLetters(number, "russian")
    case "russianUpper":
      return getLetters(number, "russian").toUpperCase()
    case "decimalZero":
      return String(number).padStart(2, "0")
    case "custom":
      return String(number).padStart(/^\d+/.exec(examples)?.[0].length ?? 1, "0")
    case "ordinal":
      return `${number}${getOrdinalSuffix(number)}`
    case "cardinalText":
      return capitalize(getWords(number))
    case "ordinalText":
      return capitalize(getWords(number).replace(/[a-z]+$/, (word) => ordinals[word] ?? toOrdinal(word)))
    case "decimalEnclosedCircle":
    case "decimalEnclosedCircleChinese":
      return number >= 1 && number <= 20 ? String.fromCodePoint(0x245f + number) : String(number)
    case "numberInDash":
      return `- ${number} -`
    case "chineseCounting":
    case "chineseCountingThousand":
    case "japaneseCounting":
    case "taiwaneseCountingThousand":
      return getEastAsian(number)
    default:
      return String(number)
  }
}

function getRoman(number: number): string {
  if (number < 1 || number > maxRoman) return String(number)
  let rest = number
  let roman = ""
  for (const [value, letters] of romans) for (; rest >= value; rest -= value) roman += letters
  return roman
}

/** After the last letter follow double letters: z, aa, bb. */
function getLetters(number: number, alphabet: string): string {
  const letters = alphabets[alphabet] ?? ""
  const times = Math.ceil(number / letters.length)
  if (number < 1 || times > maxLetters) return String(number)
  return (letters[(number - 1) % letters.length] ?? "").repeat(times)
}

function getOrdinalSuffix(number: number): string {
  const last = number % 100
  if (last >= 11 && last <= 13) return "th"
  return ["th", "st", "nd", "rd"][last % 10] ?? "th"
}

function getWords(number: number): string {
  if (number >= 100) return String(number)
  if (number < 20) return units[number] ?? ""
  const unit = number % 10
  const ten = tens[Math.floor(number / 10) - 2] ?? ""
  return unit === 0 ? ten : `${ten}-${units[unit] ?? ""}`
}

function toOrdinal(word: string): string {
  return word.endsWith("y") ? `${word.slice(0, -1)}ieth` : `${word}th`
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function getEastAsian(number: number): string {
  if (number >= 100) return String(number)
  const [ten, unit] = [Math.floor(number / 10), number % 10]
  if (ten === 0) return eastAsianDigits[unit] ?? ""
  return `${ten > 1 ? (eastAsianDigits[ten] ?? "") : ""}十${unit > 0 ? (eastAsianDigits[unit] ?? "") : ""}`
}
