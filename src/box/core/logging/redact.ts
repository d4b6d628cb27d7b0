import { homedir } from "node:os"

const gone = "[redacted]"

/** Patterns of secrets. Each starts with a fixed text, so that long lines are still processed quickly. */
const patterns: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, gone],
  [/\b(boxe?_)[A-Za-z0-9_-]{8,}/g, `$1${gone}`],
  [/\b((?:sk|pk|rk)[-_](?:[a-z]+[-_])*)[A-Za-z0-9_-]{16,}/g, `$1${gone}`],
  [
    /\b((?:gh[pousr]|github_pat|glpat|hf|npm|xox[abeprs]|ya29|shpat|ntn|secret)[-_.])[A-Za-z0-9_.-]{10,}/g,
    `$1${gone}`,
  ],
  [/\b(AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}/g, `$1${gone}`],
  [/(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, gone],
  [/\b(casella_session_\d{1,5}=)[^;\s"\\]+/g, `$1${gone}`],
  [/\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}/gi, `$1${gone}`],
  [/(:\/\/)[^\s/@:"'\\]{1,200}:[^\s/@"'\\]{1,200}@/g, `$1${gone}@`],
]

const secretName =
  "(?:x-api-key|api[-_]?key|(?:access|refresh|id|auth|csrf)?[-_]?token|authorization|(?:set-)?cookie|(?:client[-_]?)?secret|pass(?:word|wd|phrase)?|code[-_]verifier|private[-_]?key|credentials?)"

/** Matches `"password":"…"`, also inside a JSON string with escaped quotes. */
const jsonField = new RegExp(`(\\\\?"${secretName}\\\\?"\\s*:\\s*\\\\?")(?:[^"\\\\]|\\\\[^"])+`, "gi")
/** Matches `token=…` in an address or a form, and `x-api-key: …` in a header. */
const assignment = new RegExp(`(\\b${secretName}(?:=|:\\s?))(?![\\s"\\\\]|\\[redacted)[^\\s&"'\\\\,;]+`, "gi")
/** Matches the code of an OAuth response in an address. */
const oauthCode = /([?&](?:code|state)=)[^\s&"'\\]+/gi

/**
 * Removes data from a text that must not leave this computer: keys, tokens, passwords, cookies, and the home directory, which contains its
 * owner's name. For logs that are shown or sent; secrets must still not be logged.
 */
export function redact(text: string, home: string = homedir()): string {
  let clean = text
  for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement)
  clean = clean
    .replace(jsonField, `$1${gone}`)
    .replace(assignment, `$1${gone}`)
    .replace(oauthCode, `$1${gone}`)
  for (const path of homePaths(home)) clean = clean.replace(path, "~")
  return clean
}

/** Matches the home directory as it is written in text, in JSON and in file addresses; ignores case on Windows. */
function homePaths(home: string): RegExp[] {
  if (home.length < 3) return [] // "/" is the home directory of a service that has none
  const written = new Set([home, home.replaceAll("\\", "\\\\"), home.replaceAll("\\", "/"), encodeURI(home)])
  const flags = /^[A-Za-z]:/.test(home) ? "gi" : "g"
  return [...written].map(
    (path) => new RegExp(`${path.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}(?![\\w.-])`, flags),
  )
}
