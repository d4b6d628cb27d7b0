import { createRequire } from "node:module"

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
const lightStemmers = {
  polish,
  greek: (word: string) => greek(word.normalize("NFD").replace(greekMarks, "").replaceAll("ς", "σ")),
  hindi,
  hebrew: (word: string) => hebrewEndings(word.replace(hebrewPrefixes, "")),
}

interface Language {
  /** Name of its Snowball stemmer, if any. */
  stemmer?: string
  /** Name of its stemmer in this directory, if Snowball has none. */
  lightStemmer?: keyof typeof lightStemmers
  /** Letters that almost no other language in this list uses. */
  letters?: string
  /** The language writes compounds as one word, so the first part of a long word is searchable separately. */
  compounds?: true
  /** Grammatical words. They distinguish languages, and queries work better without them. */
  functionWords: string
}

/** Languages in Latin script, detected by their function words, and languages detected by their script alone. */
const languages = {
  en: {
    stemmer: "english",
    functionWords:
      "the of and to in is was that for it with as his he on be at by i this had not are but from or have an they which one you were all her she there would their we him been has when who will no more if out so said what up its about than into them can only other do does did how why where whom whose many much a me my your our these those after before during because while then also any some such between both each most should could may might must shall am being us under over",
  },
  de: {
    stemmer: "german",
    compounds: true,
    letters: "ß",
    functionWords:
      "der die das und ist in zu den dem des von mit auf für nicht ein eine einen einem einer eines sich im auch es an als wie war waren werden wird wurde wurden sind hat haben hatte aus bei nach um am oder aber über zum zur noch was wer wen wem wessen wo wann warum weshalb wieso wozu woher wohin woran worauf worin worum worüber wovon womit wodurch wofür wogegen welche welcher welches welchem welchen viele vielen viel durch sie er ihre ihr ihren seine sein seinen seiner dass man kann können nur vor bis gegen ohne unter zwischen diese dieser dieses diesem diesen ich wir mich mir uns du heißt hieß beim vom ins laut gibt gab wenn so mehr sehr nachdem während",
  },
  fr: {
    stemmer: "french",
    functionWords:
      "le la les de des du et est un une en dans que qui pour par sur pas plus au aux ce cet cette ces il elle ils elles on se sont avec ne être a été était étaient son sa ses leur leurs mais ou où nous vous comme quel quelle quels quelles combien pourquoi quand comment lequel laquelle quoi dont sans sous entre vers chez je tu mon ma mes notre votre y très aussi même tout tous toute toutes fait l d qu n s c j",
  },
  es: {
    stemmer: "spanish",
    letters: "ñ",
    functionWords:
      "el la los las de del y es en un una que por con para se no lo su sus al como más fue fueron son ha han este esta estos estas ese esa pero ser era eran entre cuando muy sin sobre también hasta hay donde quien quién quiénes qué cuál cuáles cuántos cuántas cuánto cuánta cómo dónde cuándo o e ni me mi te le les nos yo él ella ellos desde durante según tiene está están",
  },
  it: {
    stemmer: "italian",
    functionWords:
      "il lo la i gli le di del della dei delle dello degli e è in un uno una che per con non si da dal dalla dai dalle al alla ai alle allo agli sono come più ma anche nel nella nei nelle sul sulla sui suo sua suoi loro questo questa questi queste era erano stato stata quale quali quanti quante quanto quanta chi cosa dove quando perché ha hanno fu tra fra cui ed mi ti ci io noi l d dell nell all",
  },
  pt: {
    stemmer: "portuguese",
    letters: "ãõ",
    functionWords:
      "o a os as de do da dos das e é em um uma que por para com são não se no na nos nas ao aos à às mais como foi foram mas seu sua seus suas ou ser este esta estes isso isto também pelo pela pelos até quando muito sem sobre quem qual quais quantos quantas quanto onde porque entre era tem há eu ele ela eles já depois",
  },
  nl: {
    stemmer: "dutch",
    compounds: true,
    functionWords:
      "de het een en van in is op te dat die voor met zijn niet aan er om ook als bij door was waren werd worden wordt werden naar uit maar nog over hij zij ze hun haar heeft hebben had deze dit tot wat wie waar wanneer hoe hoeveel welke welk waarom of kan kunnen ik je we wij u onder tussen na geen meer dan",
  },
  sv: {
    stemmer: "swedish",
    compounds: true,
    functionWords:
      "och att det i en som på är av för med den till inte om ett de har var jag han hon vi men så från sig kan när än vid under efter eller där blev hur vad vem vilken vilka vilket många varför dess hade också mellan över",
  },
  da: {
    stemmer: "danish",
    compounds: true,
    functionWords:
      "og at det i en som på er af for med den til ikke om et de har var jeg han hun vi men så fra sig kan når end ved under efter eller der blev hvor hvad hvem hvilken hvilket hvilke hvornår hvordan hvorfor mange dens havde også mellem over nogle",
  },
  no: {
    stemmer: "norwegian",
    compounds: true,
    functionWords:
      "og at det i en som på er av for med den til ikke om et de har var jeg han hun vi men så fra seg kan når enn ved under etter eller der ble hvor hva hvem hvilken hvilket hvilke hvordan hvorfor mange dens hadde også mellom over noen",
  },
  fi: {
    stemmer: "finnish",
    compounds: true,
    functionWords:
      "ja on ei se että oli hän ovat olivat kun mutta myös tai kuin joka jotka jossa sekä ole olla ollut tämä sen ne niin mitä mikä minkä kuka ketkä missä mistä mihin milloin miksi miten kuinka monta montako jos vain hänen heidän",
  },
  hu: {
    stemmer: "hungarian",
    compounds: true,
    letters: "őű",
    functionWords:
      "a az és egy is nem hogy volt van voltak meg csak de ez azt mint már el vagy ami aki amely ki kik mi mit hol mikor miért hogyan hány milyen melyik után között több számára által",
  },
  ro: {
    stemmer: "romanian",
    letters: "șță",
    functionWords:
      "și în de la cu pe un o este a că nu din care pentru mai sunt se au fost ce sau prin dar după între ca al ale ei lui unde când cine câte câți cât cum era erau iar fi",
  },
  tr: {
    stemmer: "turkish",
    letters: "ğşı",
    functionWords:
      "ve bir bu da de için ile olarak en çok daha olan oldu ne gibi kadar sonra ise ya değil var her o ancak tarafından kim kimin nerede nereden nasıl neden niçin hangi kaç mi mı mu mü zaman",
  },
  cs: {
    stemmer: "czech",
    letters: "řěů",
    functionWords:
      "a v je na se s z do o i že to jako byl byla bylo byli by za ve pro od po ale jsou který která které kteří k už nebo jeho její kde kdy kdo co jak proč kolik jaký jaká jaké při před",
  },
  ca: {
    stemmer: "catalan",
    functionWords:
      "el la els les de del dels i és en un una que per amb no es al als com més va són ha aquest aquesta aquests però ser entre on qui què quan quants quantes quin quina quins quines seva seu van",
  },
  pl: {
    lightStemmer: "polish",
    letters: "ąęłżźćńś",
    functionWords:
      "i w na z do nie się jest są to że o jak po od za przez dla był była było były ale który która które jego jej oraz tym gdzie kiedy kto co ile dlaczego czy jaki jaka jakie przy przed pod ze we",
  },
  vi: {
    letters: "ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    functionWords:
      "và của là có trong được cho các một những với không người này đã từ để khi đến vào như ở ra trên bao nhiêu ai gì nào đâu tại sao",
  },
  id: {
    functionWords:
      "yang dan di dari untuk dengan ini itu pada dalam adalah tidak akan oleh sebagai juga atau ke karena telah apa siapa kapan mana mengapa bagaimana berapa",
  },
  ru: {
    stemmer: "russian",
    functionWords:
      "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой какая какие каких какое каким каком какую ним здесь этом мой тем чтобы нее были куда зачем всех при об после над больше тот через эти нас про всего них сколько почему является являются это чья чей чье откуда",
  },
  ar: {
    stemmer: "arabic",
    functionWords: "في من على إلى عن أن ما هو هي التي الذي كان كانت هل كم متى أين كيف لماذا ماذا من و",
  },
  hy: { stemmer: "armenian", functionWords: "և է որ են այն" },
  ta: { stemmer: "tamil", functionWords: "" },
  el: {
    lightStemmer: "greek",
    functionWords:
      "και το η ο τα της του να με για από στο στη στην σε είναι που δεν τι ποιος πού πότε πώς γιατί πόσα",
  },
  he: {
    lightStemmer: "hebrew",
    functionWords:
      "של את על עם זה זו היא הוא הם מה מי איך כמה מתי איפה היכן למה מדוע האם אם כי גם או לא כן יש אין אל בין כל",
  },
  hi: {
    lightStemmer: "hindi",
    functionWords: "के में है की का को और से ने पर यह वह क्या कौन कब कहाँ कैसे क्यों कितने था थे थी हैं",
  },
} as const satisfies Record<string, Language>

export type LanguageCode = keyof typeof languages
/** A language, or a guess: one of the likely languages, or any in Latin script. */
export type LanguageGuess = LanguageCode | "likely" | "any"

/** Languages whose stems are used when a passage's language can't be detected. */
const likely: LanguageCode[] = ["en", "de", "fr", "es", "it"]
/** Weight of a word with a distinctive letter, compared with 1 for a function word: names cross languages. */
const letterVote = 0.5
const cachedStems = 20_000
const plain = /^[a-z0-9]*$/

const table: Record<LanguageCode, Language> = languages
const functionWords = new Map<string, Set<LanguageCode>>()
for (const [code, { functionWords: words }] of Object.entries(table)) {
  for (const word of words.split(" ")) {
    const owners = functionWords.get(word) ?? new Set()
    functionWords.set(word, owners.add(code as LanguageCode))
  }
}

const latinLanguages = (Object.keys(languages) as LanguageCode[]).filter((code) =>
  /\p{Script=Latin}/u.test(table[code].functionWords),
)
const languageOfLetter = new Map(
  latinLanguages.flatMap((code) =>
    Array.from(table[code].letters ?? "", (letter) => [letter, code] as const),
  ),
)

/** Whether a script's code is also the code of a language with a stemmer or function words here. */
export function isLanguageCode(script: string): script is LanguageCode {
  return script in languages
}

export function isFunctionWord(word: string, language: LanguageCode): boolean {
  return functionWords.get(word)?.has(language) === true
}

/** Codes of all languages in which words are stemmed. */
export const languageCodes = Object.keys(languages) as readonly LanguageCode[]

/** Returns the function words of all languages here. */
export const allFunctionWords = (): Iterable<string> => functionWords.keys()

export function writesCompounds(language: LanguageGuess): boolean {
  return language !== "likely" && language !== "any" && table[language].compounds === true
}

/**
 * Returns the language whose function words and letters occur most, or `undefined` when there are too few or two languages tie. A word that
 * several languages share has less weight for each.
 */
export function detectLanguage(words: Iterable<string>, minimum: number): LanguageCode | undefined {
  const votes = new Map<LanguageCode, number>()
  for (const word of words) {
    const letter = plain.test(word) ? undefined : Array.from(word).find((one) => languageOfLetter.has(one))
    const votedLanguage = letter === undefined ? undefined : languageOfLetter.get(letter)
    if (votedLanguage) votes.set(votedLanguage, (votes.get(votedLanguage) ?? 0) + letterVote)
    const owners = functionWords.get(word)
    if (!owners) continue
    for (const code of owners) votes.set(code, (votes.get(code) ?? 0) + 1 / Math.sqrt(owners.size))
  }
  const [first, second] = [...votes].sort((a, b) => b[1] - a[1])
  if (!first || first[1] < minimum) return undefined
  return second && first[1] <= second[1] * 1.05 ? undefined : first[0]
}

/** Returns the word and its stem in each possible language; a single stem if the language is known. */
export function stems(word: string, language: LanguageGuess): string[] {
  if (language !== "likely" && language !== "any") return [stem(word, language)]
  const codes = language === "any" ? latinLanguages : likely
  return [...new Set([word, ...codes.map((code) => stem(word, code))])]
}

interface Stemmer {
  stem(word: string): string
}

const stemmers = new Map<LanguageCode, { stemmer: Stemmer; known: Map<string, string> }>()

function stem(word: string, language: LanguageCode): string {
  const { stemmer: name, lightStemmer } = table[language]
  if (lightStemmer) return lightStemmers[lightStemmer](word)
  if (!name) return word
  let entry = stemmers.get(language)
  if (!entry) {
    entry = { stemmer: snowball().newStemmer(name), known: new Map() }
    stemmers.set(language, entry)
  }
  const known = entry.known.get(word)
  if (known !== undefined) return known
  const stemmed = entry.stemmer.stem(word)
  if (entry.known.size >= cachedStems) entry.known.clear()
  entry.known.set(word, stemmed)
  return stemmed
}

interface Snowball {
  newStemmer(name: string): Stemmer
}

/** Loaded for the first word instead of at start, because it is 0.9 MB of code. */
function snowball(): Snowball {
  return createRequire(import.meta.url)("snowball-stemmers") as Snowball
}

/** For callers with many words: loading takes as long as stemming a few hundred of them. */
export const loadStemmers = (): void => void snowball()
