import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, test } from "vitest"
import { MiddleCut } from "./LongText.tsx"

// Catches a file extension that is cut off when there isn't room, and a name that a screen reader reads twice or in pieces.
test("never cuts the end of a name, and exposes the whole name once", () => {
  const markup = renderToStaticMarkup(<MiddleCut text="Rental agreement of the mill 2019.docx" />)
  expect(/<span class="shrink-0[^"]*">([^<]*)<\/span>/.exec(markup)?.[1]).toBe("ll 2019.docx")
  const announced = markup.replace(/<span aria-hidden="true".*$/, "").replaceAll(/<[^>]*>/g, "")
  expect(announced).toBe("Rental agreement of the mill 2019.docx")
  expect(renderToStaticMarkup(<MiddleCut text="lease.pdf" />)).toBe("lease.pdf")
})

// Catches a component that cuts file names at the end, where their extension is.
test("is the only component that cuts file names", () => {
  const directory = join(import.meta.dirname, "../..")
  const cut = /\btruncate\b[^>]*>\s*\{(\w+\.)*(fileName|relativePath|(file|attachment)\.name)\}/
  const found = globSync("**/*.tsx", { cwd: directory }).filter((path) =>
    cut.test(readFileSync(join(directory, path), "utf8")),
  )
  expect(found).toEqual([])
})
