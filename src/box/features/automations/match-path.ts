/** Maximum number of alternatives from all braces together. */
const maxAlternatives = 50

/**
 * Whether a file's path in its folder matches a pattern: `*` and `?` match characters of a name, `**` any number of folders, `{a,b}` one of
 * several texts. A pattern without a slash matches the file's name only. Case is ignored. The time is proportional to both lengths for any
 * input, because users write patterns and strangers name files.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.toLowerCase()
  const given = path.toLowerCase()
  const subject = wanted.includes("/") ? given : given.slice(given.lastIndexOf("/") + 1)
  return getAlternatives(wanted).some((each) =>
    matchesEach(each.replace(/^\//, "").split("/"), subject.split("/"), isAnyFolders, matchesName),
  )
}

/** Whether the pattern matches every file and so has no effect. */
export const matchesEverything = (pattern: string): boolean =>
  /^(\*|(\*\*\/)+\*|\/?(\*\*\/)*\*\*)$/.test(pattern)

/** False if its braces aren't closed or produce too many patterns. */
export const isPattern = (pattern: string): boolean => getAlternatives(pattern).length > 0

/** Returns the patterns that a pattern with braces expands to; empty if there are too many or the braces aren't closed. */
function getAlternatives(pattern: string): string[] {
  let known = [pattern]
  for (;;) {
    const next = known.flatMap((each) => {
      const [all, before = "", inner = "", after = ""] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(each) ?? []
      return all === undefined ? [each] : inner.split(",").map((one) => before + one + after)
    })
    if (next.length > maxAlternatives) return []
    if (next.length === known.length && next.every((each, at) => each === known[at]))
      return next.some((each) => /[{}]/.test(each)) ? [] : next
    known = next
  }
}

const isAnyFolders = (part: string) => part === "**"

const matchesName = (pattern: string, name: string): boolean =>
  matchesEach(
    Array.from(pattern),
    Array.from(name),
    (part) => part === "*",
    (part, character) => part === "?" || part === character,
  )

/** Whether a sequence matches a pattern in which some parts match any number of elements. Only the last of these parts is ever retried. */
function matchesEach(
  pattern: readonly string[],
  subject: readonly string[],
  isAny: (part: string) => boolean,
  isSame: (part: string, element: string) => boolean,
): boolean {
  let [at, from, last, tried] = [0, 0, -1, 0]
  while (from < subject.length) {
    const part = pattern[at]
    if (part !== undefined && isAny(part)) {
      last = at++
      tried = from
    } else if (part !== undefined && isSame(part, subject[from] ?? "")) {
      at++
      from++
    } else if (last >= 0) {
      at = last + 1
      from = ++tried
    } else return false
  }
  return pattern.slice(at).every(isAny)
}
