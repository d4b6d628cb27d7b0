import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, test } from "vitest"
import { MiddleCut } from "./MiddleCut.tsx"

// Would catch: an ending that goes when there isn't room, and a name that a screen reader is told twice or in pieces.
test("what a name ends in is never cut, and the whole name is told once", () => {
  const markup = renderToStaticMarkup(<MiddleCut text="Rental agreement of the mill 2019.docx" />)
  expect(/<span class="shrink-0[^"]*">([^<]*)<\/span>/.exec(markup)?.[1]).toBe("ll 2019.docx")
  const told = markup.replace(/<span aria-hidden="true".*$/, "").replaceAll(/<[^>]*>/g, "")
  expect(told).toBe("Rental agreement of the mill 2019.docx")
  expect(renderToStaticMarkup(<MiddleCut text="lease.pdf" />)).toBe("lease.pdf")
})

// Would catch: a place that cuts names of files at their end, where they say what they are.
test("names of files are cut by it alone", () => {
  const directory = join(import.meta.dirname, "../..")
  const cut = /\btruncate\b[^>]*>\s*\{(\w+\.)*(fileName|relativePath|(file|attachment)\.name)\}/
  const found = globSync("**/*.tsx", { cwd: directory }).filter((path) =>
    cut.test(readFileSync(join(directory, path), "utf8")),
  )
  expect(found).toEqual([])
})
