import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { findModels, programFolders } from "./model-files.ts"

let home: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "casella-home-")))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function put(path: string, content = "GGUF"): Promise<string> {
  const whole = join(home, path)
  await mkdir(dirname(whole), { recursive: true })
  await writeFile(whole, content)
  return whole
}

const scan = async (platform: NodeJS.Platform = "linux", env = {}) =>
  (
    await findModels(
      programFolders({ directory: home, env, platform }).filter(({ directory }) =>
        directory.startsWith(home),
      ),
    )
  ).toSorted((a, b) => a.name.localeCompare(b.name))

// Catches a program whose models aren't found, names that mean nothing to people, and parts that can't be used alone.
test("finds the models of other programs in their locations, by their familiar names", async () => {
  const digest = "a".repeat(64)
  const layers = [
    { mediaType: "application/vnd.ollama.image.license", digest: `sha256:${"b".repeat(64)}` },
    { mediaType: "application/vnd.ollama.image.model", digest: `sha256:${digest}` },
  ]
  const paths = [
    await put(".lmstudio/models/publisher/Repo-GGUF/alpha-Q4_K_M.gguf"),
    await put(`.ollama/models/blobs/sha256-${digest}`),
    await put(".local/share/Jan/data/llamacpp/models/beta/model.gguf"),
    await put(".local/share/nomic.ai/GPT4All/gamma.gguf"),
    await put(".cache/llama.cpp/someone_repo_delta.gguf"),
  ]
  await put(".ollama/models/manifests/registry.ollama.ai/library/llama3.2/3b", JSON.stringify({ layers }))
  const blob = await put(".cache/huggingface/hub/models--a--b/blobs/123")
  const snapshot = join(home, ".cache/huggingface/hub/models--a--b/snapshots/456")
  await mkdir(snapshot, { recursive: true })
  await symlink(blob, join(snapshot, "epsilon.gguf"))
  await put(".lmstudio/models/publisher/Repo-GGUF/mmproj-alpha-f16.gguf")
  await put(".lmstudio/models/publisher/Repo-GGUF/large-00001-of-00002.gguf")

  expect((await scan()).map(({ name, program }) => [name, program])).toEqual([
    ["alpha-Q4_K_M", "LM Studio"],
    ["beta", "Jan"],
    ["epsilon", "Hugging Face"],
    ["gamma", "GPT4All"],
    ["llama3.2:3b", "Ollama"],
    ["someone_repo_delta", "llama.cpp"],
  ])
  // Returns the file itself instead of a link to it, so that adding it twice is noticed.
  expect((await scan()).map(({ path }) => path).toSorted()).toEqual([...paths, blob].toSorted())
})

// Catches a search that fails, or skips a whole program folder, because of the content of another program's files.
test("skips files that it can't read", async () => {
  await put(".ollama/models/manifests/registry.ollama.ai/library/broken/latest", "{")
  const layers = [{ mediaType: "application/vnd.ollama.image.model", digest: "sha256:../../../etc/passwd" }]
  await put(".ollama/models/manifests/registry.ollama.ai/library/hostile/latest", JSON.stringify({ layers }))
  await mkdir(join(home, ".cache/llama.cpp"), { recursive: true })
  await symlink(join(home, "missing"), join(home, ".cache/llama.cpp/gone.gguf"))
  expect(await scan()).toEqual([])
})

test("searches where each system keeps such files, or where the program was configured to", () => {
  const on = (platform: NodeJS.Platform, env = {}) =>
    programFolders({ directory: "/home/ann", env, platform }).map(({ directory }) => directory)
  expect(on("darwin")).toContain("/home/ann/Library/Caches/llama.cpp")
  expect(on("linux")).toContain("/home/ann/.cache/huggingface/hub")
  expect(on("linux", { HF_HOME: "/data/hf", OLLAMA_MODELS: "/data/ollama" })).toEqual(
    expect.arrayContaining(["/data/hf/hub", "/data/ollama"]),
  )
})
