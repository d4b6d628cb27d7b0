import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { expect, test } from "vitest"
import { sentences } from "../src/shared/sentences/sentences.ts"
import { fileReasons } from "../src/shared/contract/file-reasons.ts"

const root = join(import.meta.dirname, "..")
const docs = join(root, "docs")
const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map((name) => join(root, name)),
  ...readdirSync(docs, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(docs, name)),
]
const read = (path: string) => readFileSync(path, "utf8")
/** A page without its code, which may contain brackets and number signs. */
const readText = (path: string) => read(path).replaceAll(/^```.*?^```$/gms, "")

/** Anchors of a page's headings, as GitHub makes them. */
function getAnchors(path: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ""] of readText(path).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-")
    let unique = anchor
    for (let number = 1; anchors.has(unique); number++) unique = `${anchor}-${number}`
    anchors.add(unique)
  }
  return anchors
}

// Catches a link to a page, image or heading that was moved, renamed or removed.
test.each(pages.map((path) => relative(root, path)))("the links of %s lead somewhere", (page) => {
  const path = join(root, page)
  const broken = Array.from(readText(path).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target).filter(
    (target) => {
      if (/^[a-z]+:/.test(target)) return false
      const [file = "", anchor] = target.split("#")
      const linked = file === "" ? path : join(dirname(path), file)
      return !existsSync(linked) || (anchor !== undefined && !getAnchors(linked).has(anchor))
    },
  )
  expect(broken).toEqual([])
})

// Catches a page that readers can't find.
test("the index lists every page", () => {
  const linked = new Set(
    Array.from(read(join(docs, "README.md")).matchAll(/\]\(([^)#]+)\)/g), ([, target = ""]) =>
      join(docs, target),
    ),
  )
  const missing = pages.filter(
    (path) => path.startsWith(docs) && !path.includes("decisions/") && !linked.has(path),
  )
  expect(missing.map((path) => relative(docs, path)).filter((page) => page !== "README.md")).toEqual([])
})

type Strings = string | { [key: string]: Strings }
const flatten = (strings: Strings): string[] =>
  typeof strings === "string" ? [strings] : Object.values(strings).flatMap(flatten)
const readStrings = (directory: string) =>
  readdirSync(join(root, directory))
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => flatten(JSON.parse(read(join(root, directory, name))) as Strings))

/** Matches a text with its placeholders filled in. */
const toPattern = (text: string) =>
  text
    .split(/\{\{[^}]*\}\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(".+")
/** Strings that are little more than a placeholder would match any text. */
const minLetters = 5
const getMatcher = (texts: readonly string[]) => {
  const exact = new Set(texts)
  const isPattern = (text: string) =>
    text.includes("{{") && text.replaceAll(/\{\{[^}]*\}\}|\P{L}/gu, "").length >= minLetters
  const patterns = texts.filter(isPattern).map((text) => new RegExp(`^${toPattern(text)}$`))
  return (text: string) => exact.has(text) || patterns.some((pattern) => pattern.test(text))
}

/** Pages for users, in which bold text is a label of the interface and a quotation is a message. */
const guides = pages.filter((path) =>
  /getting-started|how-to\/|troubleshooting|reference\/keyboard/.test(path),
)
const isLabel = getMatcher([
  ...readStrings("src/renderer/locales/en"),
  ...flatten(JSON.parse(read(join(root, "src/main/strings/en.json"))) as Strings),
])
const isMessage = getMatcher([
  ...flatten(sentences),
  ...flatten(fileReasons),
  ...readStrings("src/renderer/locales/en"),
])

// Catches a label in a guide that the interface doesn't have, or no longer has.
test.each(guides.map((path) => relative(root, path)))("the labels in %s are in the interface", (page) => {
  const labels = Array.from(readText(join(root, page)).matchAll(/\*\*(.+?)\*\*/gs), ([, label = ""]) =>
    label.replaceAll(/\s+/g, " "),
  )
  expect(labels.flatMap((label) => label.split(" › ")).filter((label) => !isLabel(label))).toEqual([])
})

// Catches a place in the settings that doesn't exist, or no longer exists.
test("the settings that any page names are in the interface", () => {
  const wrong = pages.flatMap((path) =>
    Array.from(readText(path).matchAll(/\*\*(Settings › [^*]+)\*\*/g), ([, settingsPath = ""]) =>
      settingsPath.replaceAll(/\s+/g, " "),
    )
      .filter((settingsPath) => !settingsPath.split(" › ").every((part) => isLabel(part)))
      .map((settingsPath) => `${relative(root, path)}: ${settingsPath}`),
  )
  expect(wrong).toEqual([])
})

/** Pages for people who work on the code, or that describe how Casella was measured. */
const forContributors = /contributing\/|sizing\.md$/

// Catches a page for users that sends them into the code.
test("pages for users name no source files, tests or commits", () => {
  const named = pages
    .filter((path) => path.startsWith(docs) && !forContributors.test(path))
    .flatMap((path) =>
      Array.from(
        readText(path).matchAll(
          /`[^`\n]*\.(?:tsx?|mjs)`|`(?:src|features|e2e|bench)\/[^`\n]*`|`[0-9a-f]{8}`/g,
        ),
        ([name]) => `${relative(root, path)}: ${name}`,
      ),
    )
  expect(named).toEqual([])
})

// Catches a message in the troubleshooting page that Casella doesn't show, or no longer shows.
test("the messages of the troubleshooting page are Casella's", () => {
  const messages = Array.from(
    readText(join(docs, "troubleshooting.md")).matchAll(/(?:^> .*\n)+/gm),
    ([block]) => block.replaceAll(/^> /gm, "").trim().replaceAll(/\s+/g, " "),
  )
  expect(messages.length).toBeGreaterThan(10)
  // Messages of the command line are in its code, because they have no translations.
  const commandLine = ["commands/command-line.ts", "start/open-data.ts"].map((path) =>
    read(join(root, "src/box", path)),
  )
  const isSaid = getMatcher(
    commandLine.flatMap((source) =>
      Array.from(source.matchAll(/(["`])((?:[A-Z]).*?)\1/g), ([, , text = ""]) =>
        text.replaceAll("${", "{{").replaceAll(/(?<=\{\{\w+)\}/g, "}}"),
      ),
    ),
  )
  expect(messages.filter((message) => !isMessage(message) && !isSaid(message))).toEqual([])
})

// Catches a shortcut that is added or changed without its documentation.
test("the keyboard page lists every shortcut", () => {
  const names: Record<string, string> = {
    mod: "Ctrl",
    shift: "Shift",
    Escape: "Esc",
    ArrowUp: "↑",
    ArrowDown: "↓",
  }
  const nameOf = (key: string) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  const source = read(join(root, "src/renderer/lib/keys/shortcut.ts"))
  const expected = Array.from(source.matchAll(/^ {2}\w+: \{ keys: "(.+?)", group/gm), ([, keys = ""]) =>
    keys.split("+").map(nameOf).join("+"),
  )
  const listed = Array.from(
    read(join(docs, "reference/keyboard.md")).matchAll(/^\| `(.+?)` \|/gm),
    ([, keys = ""]) => keys,
  )
  expect(listed.toSorted()).toEqual(expected.toSorted())
})
