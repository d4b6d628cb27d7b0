import { parseArgs } from "node:util"
import type { BoxFlags } from "../box/box-config.ts"

/** Reads the box's flags from a program's arguments and ignores those that Electron and the system add. */
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
    // Any spelling of the flag turns local-only on.
    ...(localOnly === undefined ? {} : { "local-only": true }),
  }
}
