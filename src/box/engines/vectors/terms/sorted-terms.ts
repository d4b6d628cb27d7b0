/**
 * Terms in ascending order, each followed by a line feed. The format is compact, and is searched in the form in which it is read from disk.
 */
export type SortedTerms = string

export interface NearTerm {
  term: string
  /** Number of letters that are wrong, missing, extra, or swapped with their neighbour. */
  distance: number
}

const termsPerPause = 256

/** Returns the start of the first term that isn't before `term`. `from` and `to` are starts of terms. */
function findPosition(terms: SortedTerms, term: string, from = 0, to = terms.length): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >> 1
    const start = middle === 0 ? 0 : terms.lastIndexOf("\n", middle - 1) + 1
    const end = terms.indexOf("\n", start)
    if (terms.slice(start, end) < term) low = end + 1
    else high = start
  }
  return low
}

export function holdsTerm(terms: SortedTerms, term: string): boolean {
  return terms.startsWith(`${term}\n`, findPosition(terms, term))
}

/** Merges the terms with others, which must be new and in ascending order. `pause` is awaited now and then. */
export async function mergeTerms(
  terms: SortedTerms,
  added: readonly string[],
  pause: () => Promise<void>,
): Promise<SortedTerms> {
  const pieces: string[] = []
  let from = 0
  for (const [number, term] of added.entries()) {
    if (number % termsPerPause === 0) await pause()
    const position = findPosition(terms, term, from)
    pieces.push(terms.slice(from, position), term, "\n")
    from = position
  }
  return pieces.join("") + terms.slice(from)
}

/**
 * Returns the terms with the same first letter that differ in up to `max` letters, because the first letter of a misspelt word is nearly
 * always right. The terms are searched like a tree: common prefixes are compared once, and left when they differ too much. Each comparison
 * reduces the allowance; the search ends when none is left.
 */
export function nearTerms(
  terms: SortedTerms,
  word: string,
  max: number,
  allowance: { left: number },
): NearTerm[] {
  const found: NearTerm[] = []
  const [first = ""] = word
  const rows = [Uint16Array.from({ length: word.length + 1 }, (_, column) => column)]
  const last = findPosition(terms, `${first}\uFFFF`)
  let before = ""
  for (let at = findPosition(terms, first, 0, last); at < last && allowance.left > 0; allowance.left--) {
    const end = terms.indexOf("\n", at)
    const term = terms.slice(at, end)
    let depth = alike(before, term)
    let min = 0
    while (depth < term.length && min <= max) min = fillRow(rows, word, term, ++depth)
    before = term.slice(0, depth)
    at = end + 1
    if (min <= max) {
      const distance = rows[depth]?.[word.length] ?? Infinity
      if (distance <= max) found.push({ term, distance })
    } else if (terms.startsWith(before, at)) at = findPosition(terms, `${before}\uFFFF`, at, last)
  }
  return found
}

/** Returns the length of the common prefix. */
function alike(a: string, b: string): number {
  let count = 0
  while (count < a.length && a[count] === b[count]) count++
  return count
}

/** Computes how much the first `depth` letters of the term differ from each prefix of the word. Returns the smallest difference. */
function fillRow(rows: Uint16Array[], word: string, term: string, depth: number): number {
  const above = rows[depth - 1] ?? []
  const twoAbove = rows[depth - 2] ?? []
  const row = (rows[depth] ??= new Uint16Array(word.length + 1))
  const letter = term.charCodeAt(depth - 1)
  const letterBefore = depth > 1 ? term.charCodeAt(depth - 2) : -1
  let [left, min, wordBefore] = [depth, depth, -1]
  row[0] = depth
  for (let column = 1; column <= word.length; column++) {
    const wanted = word.charCodeAt(column - 1)
    let cost = Math.min(
      (above[column] ?? 0) + 1,
      left + 1,
      (above[column - 1] ?? 0) + (letter === wanted ? 0 : 1),
    )
    if (letter === wordBefore && letterBefore === wanted)
      cost = Math.min(cost, (twoAbove[column - 2] ?? 0) + 1)
    row[column] = left = cost
    min = Math.min(min, cost)
    wordBefore = wanted
  }
  return min
}
