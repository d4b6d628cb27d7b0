/** Lower case in one composition, as names are searched. */
const fold = (text: string) => text.normalize("NFC").toLowerCase()

/** Replaces `{a,b}` by its alternatives, which the contract limits. Braces don't nest. */
function expandBraces(glob: string): string[] {
  const found = /\{([^{}]*)\}/.exec(glob)
  if (!found) return [glob]
  const before = glob.slice(0, found.index)
  const after = glob.slice(found.index + found[0].length)
  return (found[1] ?? "").split(",").flatMap((each) => expandBraces(before + each + after))
}

/** Whether one character matches a class such as `[a-z]` or `[!0-9]`, given without its brackets. */
function isInClass(character: string, range: string): boolean {
  const isNegated = range.startsWith("!") || range.startsWith("^")
  const signs = Array.from(isNegated ? range.slice(1) : range)
  let isIn = false
  for (let at = 0; at < signs.length; at++) {
    const [first = "", dash, last] = signs.slice(at, at + 3)
    if (dash === "-" && last !== undefined) {
      isIn ||= first <= character && character <= last
      at += 2
    } else isIn ||= first === character
  }
  return isIn !== isNegated
}

type Part =
  | { kind: "any" }
  | { kind: "one" }
  | { kind: "class"; range: string }
  | { kind: "text"; text: string }

function splitParts(segment: string): Part[] {
  return (segment.match(/\[[^\]]+\]|[\s\S]/gu) ?? []).map((part): Part => {
    if (part === "*") return { kind: "any" }
    if (part === "?") return { kind: "one" }
    return part.length > 2 && part.startsWith("[")
      ? { kind: "class", range: part.slice(1, -1) }
      : { kind: "text", text: part }
  })
}

/** Compares in time proportional to both lengths: after a mismatch, only the last `*` takes one more item. */
function matchesAll<Wanted, Given>(
  wanted: readonly Wanted[],
  given: readonly Given[],
  isAny: (one: Wanted) => boolean,
  matches: (one: Wanted, other: Given) => boolean,
): boolean {
  let [at, star, resumed] = [0, -1, 0]
  for (let index = 0; index < given.length;) {
    const one = wanted[at]
    const other = given[index] as Given
    if (one !== undefined && isAny(one)) {
      star = at++
      resumed = index
    } else if (one !== undefined && matches(one, other)) {
      at++
      index++
    } else if (star >= 0) {
      at = star + 1
      index = ++resumed
    } else return false
  }
  return wanted.slice(at).every(isAny)
}

const matchesPart = (part: Part, character: string) =>
  part.kind === "one" ||
  (part.kind === "text" && part.text === character) ||
  (part.kind === "class" && isInClass(character, part.range))

/**
 * Returns a function that checks whether a path inside a folder, with `/` between its names, matches a glob. `*` and `?` match inside a
 * name, `**` any number of directories; `[a-z]`, `[!a]` and `{a,b}` work as in a shell. Case is ignored.
 */
export function createGlob(glob: string): (path: string) => boolean {
  const alternatives = expandBraces(fold(glob)).map((each) =>
    each
      .replace(/\/$/, "/**")
      .split("/")
      .map((segment) => (segment === "**" ? null : splitParts(segment))),
  )
  return (path) => {
    const names = fold(path)
      .split("/")
      .map((name) => Array.from(name))
    return alternatives.some((segments) => {
      // `Contracts/**` is about what is inside, so the last `**` needs at least one name.
      const isInside = segments.at(-1) === null
      const wanted = isInside ? [...segments, [{ kind: "any" } as const]] : segments
      return matchesAll(
        wanted,
        names,
        (segment) => segment === null,
        (segment, name) =>
          segment !== null && matchesAll(segment, name, ({ kind }) => kind === "any", matchesPart),
      )
    })
  }
}
