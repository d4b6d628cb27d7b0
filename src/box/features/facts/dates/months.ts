/** Month names in English, Italian, German, French and Spanish, with their abbreviations. */
const names = [
  "january jan januar jänner gennaio gen janvier janv enero ene",
  "february feb februar febr febbraio février fevrier févr fevr fév febrero",
  "march mar märz maerz mrz mär marzo mars",
  "april apr aprile avril avr abril abr",
  "may mai maggio mag mayo",
  "june jun juni giugno giu juin junio",
  "july jul juli luglio lug juillet juil julio",
  "august aug agosto ago août aout",
  "september sep sept settembre set septembre septiembre",
  "october oct oktober okt ottobre ott octobre octubre",
  "november nov novembre noviembre",
  "december dec dezember dez dicembre dic décembre déc decembre diciembre",
]

const months = new Map(
  names.flatMap((list, index) => list.split(" ").map((name): [string, number] => [name, index + 1])),
)

/** Returns the month from 1, or undefined for any other word. */
export const monthNamed = (word: string): number | undefined => months.get(word.toLowerCase())
