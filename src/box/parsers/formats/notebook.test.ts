import { expect, test } from "vitest"
import { findFormatByFileName } from "../registry.ts"
import { ParseFailure } from "../parser.ts"
import { createRandom, mutate, parseBytes } from "../testing/parse-bytes.ts"
import { pngOf, readWithPictures } from "../testing/read-with-pictures.ts"
import { notebook } from "./notebook.ts"

const sample = Buffer.from(
  JSON.stringify({
    nbformat: 4,
    cells: [
      { cell_type: "markdown", source: ["# Yields\n", "Wheat and **rye**."] },
      {
        cell_type: "code",
        source: "total = 3\nprint(f'```{total}')",
        outputs: [
          { output_type: "stream", text: ["\u001b[31m3\u001b[0m\n"] },
          { output_type: "execute_result", data: { "text/plain": "Total: 3", "text/html": "<b>3</b>" } },
          { output_type: "display_data", data: { "image/png": `${pngOf(301).toString("base64")}\n` } },
          { output_type: "error", ename: "ValueError", evalue: "no rye", traceback: ["…"] },
        ],
      },
      { cell_type: "markdown", source: "## Next\n\nMore.", attachments: {} },
    ],
  }),
)

// Catches cells that are read as JSON, without headings, and results that aren't found.
test("reads the cells of notebooks with their results", async () => {
  const { blocks } = await parseBytes(notebook, sample, "a.ipynb")
  expect(blocks.map(({ kind, text, location }) => [kind, text, location])).toEqual([
    ["heading", "Yields", { heading: "Yields" }],
    ["paragraph", "Wheat and **rye**.", { heading: "Yields" }],
    ["code", "total = 3\nprint(f'```{total}')", { heading: "Yields" }],
    ["code", "3", { heading: "Yields" }],
    ["code", "Total: 3", { heading: "Yields" }],
    ["code", "ValueError: no rye", { heading: "Yields" }],
    ["heading", "Next", { heading: "Yields › Next" }],
    ["paragraph", "More.", { heading: "Yields › Next" }],
  ])
  expect((await readWithPictures(sample, "a.ipynb")).pictures).toEqual([
    ["image", "words 301", { heading: "Yields", image: 1 }],
  ])
  expect(findFormatByFileName("a.ipynb")?.name).toBe("notebook")
})

test("reads older notebooks, and other JSON as such", async () => {
  const older = {
    worksheets: [
      {
        cells: [
          { cell_type: "heading", level: 1e9, source: "A" },
          { cell_type: "code", input: "b" },
        ],
      },
    ],
  }
  const { blocks } = await parseBytes(notebook, JSON.stringify(older), "a.ipynb")
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["heading", "A"],
    ["code", "b"],
  ])
  expect((await parseBytes(notebook, '{"a": "b"}', "a.ipynb")).text).toBe("a: b")
})

test("damaged notebooks", async () => {
  const random = createRandom(5)
  for (let round = 0; round < 200; round++)
    await parseBytes(notebook, mutate(sample, random), "a.ipynb").catch((error: unknown) => {
      if (!(error instanceof ParseFailure)) throw error
    })
})
