/** Creates a stemmer that removes the longest matching ending, but always leaves at least `shortest` letters. */
function createStemmer(endings: string, shortest: number): (word: string) => string {
  const known = endings.split(" ").toSorted((a, b) => b.length - a.length)
  return (word) => {
    const found = known.find((ending) => word.endsWith(ending) && word.length - ending.length >= shortest)
    return found === undefined ? word : word.slice(0, word.length - found.length)
  }
}

const polish = createStemmer(
  "iejszych iejszy ościami ościach ości ość iami iach iom iem ami ach owi owie ów om em ie ia iu io ej ego emu ych ich ymi imi ym im ą ę a e i o u y",
  3,
)
const greek = createStemmer("ματων ματοσ ματα εισ εων εωσ ουσ ων ου εσ ασ οσ ησ οι ει α η ο ι ω ε υ σ", 3)
const hindi = createStemmer("ियों ियां ाओं ाएं ुओं ुएं ाने ाना ाते ाती ाता ाई ाए ने नी ना ते ती ता ीं ां ों ें ो े ू ु ी ि ा", 2)
const hebrewEndings = createStemmer("ים ות", 3)
const hebrewPrefixes = /^(?:[וש]?[הבלכמ]|[וש])(?=.{3})/u
const greekMarks = /\p{M}/gu

/** Stemmers for languages that Snowball's package doesn't cover. They only remove grammatical endings, without exceptions. */
export const lightStemmers = {
  polish,
  greek: (word: string) => greek(word.normalize("NFD").replace(greekMarks, "").replaceAll("ς", "σ")),
  hindi,
  hebrew: (word: string) => hebrewEndings(word.replace(hebrewPrefixes, "")),
}
