import { expect, test } from "vitest"
import { readModelAddress } from "./MoreSection.tsx"

const mirror = "https://mirror.example/hub/"
const file = { repo: "someone/Some-GGUF", revision: "main", file: "small/some-Q4.gguf" }

// Catches an address that fetches another file than the copied one, or sends the box to a server that no one allowed.
test.each([
  ["https://huggingface.co/someone/Some-GGUF/blob/main/small/some-Q4.gguf", file],
  ["https://huggingface.co/someone/Some-GGUF/resolve/main/small/some-Q4.gguf?download=true", file],
  [
    " https://mirror.example/hub/someone/Some-GGUF/resolve/v1/x.gguf ",
    { ...file, revision: "v1", file: "x.gguf" },
  ],
  ["https://huggingface.co/someone/Some-GGUF", "elsewhere"],
  ["https://elsewhere.example/someone/Some-GGUF/resolve/main/x.gguf", "elsewhere"],
  ["https://huggingface.co.elsewhere.example/a/b/resolve/main/x.gguf", "elsewhere"],
  ["https://huggingface.co/a/b/resolve/main/%E0%A4%A.gguf", "elsewhere"],
  ["http://", "elsewhere"],
  ["someone/Some-GGUF", null],
  ["", null],
])("reads %s", (text, expected) => {
  expect(readModelAddress(text, mirror)).toEqual(expected)
})
