import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, test } from "vitest"
import { ForeignLink } from "./ForeignLink.tsx"

const directory = join(import.meta.dirname, "../..")
const sources = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !/[/\\]testing[/\\]/.test(name))
  .map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(join(directory, name), "utf8") }))

/** Who makes links itself, and what of: addresses of the box. */
const ownAddresses: Record<string, string[]> = {
  "features/settings/CreatedKey.tsx": [`"/api/docs"`],
  "features/settings/about/AboutSection.tsx": [`"/api/docs"`],
  // A report that is saved as a file leads to what is in it.
  "features/support/report-document.ts": ['"${escaped(attachment.dataUrl)}"'],
  "ui/text/ForeignLink.tsx": [],
}

// Would catch a second way to link to another machine, which a browser looks up before anybody follows it.
test("only ForeignLink leads to other machines", () => {
  const found = sources.flatMap(({ name, text }) => {
    const links = [...text.matchAll(/<a\s[^]*?>/g)].map(
      ([tag]) => /\bhref=("[^"]*"|\{[^}]*\})/.exec(tag)?.[1],
    )
    return links.length === 0 ? [] : [[name, links.filter((href) => href !== undefined)]]
  })
  expect(Object.fromEntries(found)).toEqual(ownAddresses)
})

// Would catch a link, a hint or a window that is made by hand.
test.each([
  [/createElement\("(a|link|iframe|base|meta)"/, ["lib/browser/download.ts", "lib/browser/save-file.ts"]],
  [/window\.open\(/, ["ui/text/ForeignLink.tsx"]],
  [/<(link|base|meta|area|form[^>]*action)\s/, ["features/support/report-document.ts"]], // in a saved file, to say what it is
  [/\.href = /, ["lib/browser/download.ts", "lib/browser/save-file.ts", "ui/text/ForeignLink.tsx"]],
  [/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write/, []],
])("only there is %s", (pattern, places) => {
  const found = sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name)
  expect(found.toSorted((a, b) => a.localeCompare(b))).toEqual(places)
})

test("a link has no destination before it is followed, and says where it leads", () => {
  const html = renderToStaticMarkup(<ForeignLink address="https://elsewhere.example/x">there</ForeignLink>)
  expect(html).not.toContain("href")
  expect(html).toContain('role="link"')
  expect(html).toContain('tabindex="0"')
  expect(html).toContain('title="https://elsewhere.example/x"')
})

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/relative", "casella://x", ""])(
  "%s is no link",
  (address) => {
    expect(renderToStaticMarkup(<ForeignLink address={address}>there</ForeignLink>)).toBe(
      "<span>there</span>",
    )
  },
)
