import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, test } from "vitest"
import { ForeignLink } from "./ForeignLink.tsx"

const directory = join(import.meta.dirname, "../..")
const sources = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !/[/\\]testing[/\\]/.test(name))
  .map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(join(directory, name), "utf8") }))

/** Files that render links themselves, with their destinations, which are all on the box. */
const ownAddresses: Record<string, string[]> = {
  "features/settings/NewKeyDialog.tsx": [`"/api/docs"`],
  "features/settings/about/AboutSection.tsx": [`"/api/docs"`],
  // A report saved as a file links to its own content.
  "features/support/report-draft.ts": ['"${escaped(attachment.dataUrl)}"'],
  "ui/text/ForeignLink.tsx": [],
}

// Catches a second way to link to another computer, which a browser would look up before anyone follows it.
test("links to other computers only with ForeignLink", () => {
  const found = sources.flatMap(({ name, text }) => {
    const links = [...text.matchAll(/<a\s[^]*?>/g)].map(
      ([tag]) => /\bhref=("[^"]*"|\{[^}]*\})/.exec(tag)?.[1],
    )
    return links.length === 0 ? [] : [[name, links.filter((href) => href !== undefined)]]
  })
  expect(Object.fromEntries(found)).toEqual(ownAddresses)
})

// Catches a handmade link, link hint or window.
test.each([
  [/createElement\("(a|link|iframe|base|meta)"/, ["lib/browser/download.ts"]],
  [/window\.open\(/, ["ui/text/ForeignLink.tsx"]],
  [/<(link|base|meta|area|form[^>]*action)\s/, ["features/support/report-draft.ts"]], // only in a saved file, to describe it
  [/\.href = /, ["lib/browser/download.ts", "ui/text/ForeignLink.tsx"]],
  [/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write/, []],
])("uses %s only in the known files", (pattern, places) => {
  const found = sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name)
  expect(found.toSorted((a, b) => a.localeCompare(b))).toEqual(places)
})

test("has no destination before it is followed, but shows where it leads", () => {
  const html = renderToStaticMarkup(<ForeignLink address="https://elsewhere.example/x">there</ForeignLink>)
  expect(html).not.toContain("href")
  expect(html).toContain('role="link"')
  expect(html).toContain('tabindex="0"')
  expect(html).toContain('title="https://elsewhere.example/x"')
})

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/relative", "casella://x", ""])(
  "doesn't link %s",
  (address) => {
    expect(renderToStaticMarkup(<ForeignLink address={address}>there</ForeignLink>)).toBe(
      "<span>there</span>",
    )
  },
)
