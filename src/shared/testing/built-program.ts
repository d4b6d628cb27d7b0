import { fileURLToPath } from "node:url"

/** Path of a built program, which starts in half the processor time of its source. The test setup rebuilds it if a source file is newer. */
export const builtProgram = (name: "cli" | "auth"): string =>
  fileURLToPath(new URL(`../../../out/main/${name}.js`, import.meta.url))
