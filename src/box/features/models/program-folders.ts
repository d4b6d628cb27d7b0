import { join } from "node:path"
import type { FoundModel } from "../../../shared/contract/model-files.ts"

/** A directory in which another program keeps models. */
export interface ProgramFolder {
  program: FoundModel["program"]
  directory: string
}

export interface Home {
  directory: string
  env: Record<string, string | undefined>
  platform: NodeJS.Platform
}

/** Directories in which common programs keep their GGUF files, according to their documentation. Most won't exist. */
export function programFolders({ directory, env, platform }: Home): ProgramFolder[] {
  const data =
    platform === "win32"
      ? (env["APPDATA"] ?? join(directory, "AppData", "Roaming"))
      : platform === "darwin"
        ? join(directory, "Library", "Application Support")
        : (env["XDG_DATA_HOME"] ?? join(directory, ".local", "share"))
  const localData = platform === "win32" ? (env["LOCALAPPDATA"] ?? join(directory, "AppData", "Local")) : data
  const cache =
    platform === "win32"
      ? localData
      : platform === "darwin"
        ? join(directory, "Library", "Caches")
        : (env["XDG_CACHE_HOME"] ?? join(directory, ".cache"))
  const huggingFace =
    env["HF_HUB_CACHE"] ??
    join(env["HF_HOME"] ?? join(env["XDG_CACHE_HOME"] ?? join(directory, ".cache"), "huggingface"), "hub")
  const folders: ProgramFolder[] = [
    { program: "LM Studio", directory: join(directory, ".lmstudio", "models") },
    { program: "LM Studio", directory: join(directory, ".cache", "lm-studio", "models") },
    { program: "Jan", directory: join(data, "Jan", "data", "llamacpp", "models") },
    { program: "Jan", directory: join(data, "Jan", "data", "models") },
    { program: "Jan", directory: join(directory, "jan", "models") },
    { program: "GPT4All", directory: join(localData, "nomic.ai", "GPT4All") },
    { program: "Hugging Face", directory: huggingFace },
    { program: "llama.cpp", directory: env["LLAMA_CACHE"] ?? join(cache, "llama.cpp") },
    { program: "Ollama", directory: env["OLLAMA_MODELS"] ?? join(directory, ".ollama", "models") },
  ]
  if (platform === "linux") {
    folders.push({ program: "Ollama", directory: "/usr/share/ollama/.ollama/models" })
  }
  return folders
}
