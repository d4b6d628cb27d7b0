import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { findPython } from "./python-image.ts"

// Catches a Python binary other than the reviewed one, wherever it comes from.
it("is the reviewed Python binary", () => {
  const hash = createHash("sha256").update(readFileSync(findPython())).digest("hex")
  expect(hash).toBe("658cb6add2bbf8dfe84d67fb85430956d5a8b2b1d694d33432d654cdf048f813")
})

// Catches an import that isn't implemented in `wasi/`, or one that reaches beyond files and time.
it("imports only what `wasi/` implements", async () => {
  const { wasiImports } = await import("./wasi/run-program.ts")
  const { MemoryDirectory } = await import("./wasi/memory-files.ts")
  const { imports } = wasiImports({
    args: [],
    input: new Uint8Array(),
    output: { write: () => undefined },
    root: new MemoryDirectory(null),
  })
  const wanted = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(findPython())))
  expect(wanted.map(({ module }) => module)).toEqual(wanted.map(() => "wasi_snapshot_preview1"))
  expect(wanted.map(({ name }) => name).sort()).toEqual(Object.keys(imports.wasi_snapshot_preview1).sort())
})
