import { parseArgs } from "node:util"
import type { BoxFlags } from "../box/box-config.ts"

/** The box's own flags among a program's arguments; what Electron and the system add is none of ours. */
export function readFlags(args: string[]): BoxFlags {
  const { values } = parseArgs({
    args,
    strict: false,
    allowPositionals: true,
    options: {
      port: { type: "string" },
      data: { type: "string" },
      model: { type: "string" },
      "embedding-model": { type: "string" },
      "auth-url": { type: "string" },
      "local-only": { type: "boolean" },
    },
  })
  const { "local-only": localOnly, ...others } = values
  return {
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => typeof value === "string")),
    // However it is written, it is meant.
    ...(localOnly === undefined ? {} : { "local-only": true }),
  }
}
